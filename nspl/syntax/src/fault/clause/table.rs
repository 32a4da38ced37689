//! The clauses of the statements whose order is fixed, in that order.

use crate::grammar::Tokens;

/// A clause and where it belongs.
pub(crate) struct Clause {
    /// Its leading keywords.
    pub(crate) words: &'static str,
    /// Those of the clause that may stand in its place.
    pub(crate) instead: Option<&'static str>,
    /// Where it belongs.
    pub(crate) belongs: &'static str,
    /// The least of it, in every form that asks for other clauses behind it; none where a statement of its kind goes
    /// without it, or without the one that stands in its place.
    pub(crate) least: &'static [&'static str],
}

impl Clause {
    /// Whether it begins with more than one keyword.
    pub(crate) fn has_words(&self) -> bool {
        self.words.contains(' ')
    }
}

const fn clause(words: &'static str, belongs: &'static str) -> Clause {
    Clause {
        words,
        instead: None,
        belongs,
        least: &[],
    }
}

const fn required(words: &'static str, least: &'static [&'static str], belongs: &'static str) -> Clause {
    Clause {
        words,
        instead: None,
        belongs,
        least,
    }
}

/// Two clauses of which one stands, told by the first.
const fn either(
    words: &'static str,
    least: &'static [&'static str],
    instead: &'static str,
    belongs: &'static str,
) -> Clause {
    Clause {
        instead: Some(instead),
        ..required(words, least, belongs)
    }
}

const SOURCES: [Clause; 4] = [
    required("FROM", &["FROM _"], "right after the emitter's name"),
    clause("COLLECT", "after the FROM list and before TO"),
    clause("USING", "after FROM and COLLECT, before TO"),
    required(
        "TO",
        &[
            "TO KAFKA _ TOPIC _",
            "TO CLIENT SCHEMA _",
            "TO HTTP _ METHOD _ PATH _",
            "TO POSTGRES _ TABLE _",
            "TO OTEL _ LOGS",
            "TO ICEBERG ON S3 _ TABLE _",
        ],
        "after FROM, COLLECT and USING MATERIALIZED STATE",
    ),
];

const HTTP: [Clause; 2] = [
    required("METHOD", &["METHOD _"], "right after the client, before PATH"),
    required("PATH", &["PATH _"], "after METHOD, before MODE"),
];

const METRIC: [Clause; 2] = [
    required(
        "UNIT",
        &["UNIT ''"],
        "right after METRIC and its name, before the shape",
    ),
    clause("DESCRIPTION", "right after UNIT, before the shape"),
];

const VALUES: [Clause; 1] = [clause(
    "VALUES",
    "right after the table, collection or signal, before MODE",
)];

const OTEL: [Clause; 3] = [
    clause("ATTRIBUTES", "after VALUES, before RESOURCE"),
    clause("RESOURCE", "after VALUES and ATTRIBUTES, before SCOPE"),
    clause("SCOPE", "after VALUES, ATTRIBUTES and RESOURCE, before MODE"),
];

const ICEBERG: [Clause; 3] = [
    required("LOCATION", &["LOCATION ''"], "right after VALUES, before CATALOG"),
    required("CATALOG", &["CATALOG _"], "after LOCATION, before COMMIT EACH"),
    required(
        "COMMIT",
        &["COMMIT EACH 1s MAX SIZE 1MiB"],
        "after CATALOG, before MODE",
    ),
];

const DELIVERY: [Clause; 4] = [
    clause("ON CONFLICT", "right after VALUES, before MODE"),
    required(
        "MODE",
        &["MODE NO_ACK RETRY POLICY BACKOFF 1s MAX 1s"],
        "after the destination and before ENCODE USING",
    ),
    clause("ENCODE", "right after MODE"),
    clause("WITHOUT", "right after MODE"),
];

const RECORDS: [Clause; 8] = [
    clause("INHERIT", "after the sink clause, before SET"),
    clause("SET", "after INHERIT, before WHERE"),
    clause(
        "WHERE",
        "after SET, before INVOKE (of a direct sink: right after VALUES)",
    ),
    clause("INVOKE", "after WHERE, before BATCH"),
    clause("BATCH", "after the construction, before FLUSH"),
    required(
        "FLUSH",
        &["FLUSH IMMEDIATE"],
        "after BATCH, before ON MESSAGE ERROR",
    ),
    required(
        "ON MESSAGE",
        &["ON MESSAGE ERROR LOG"],
        "after FLUSH, before ON GENERAL ERROR",
    ),
    required(
        "ON GENERAL",
        &["ON GENERAL ERROR LOG"],
        "at the end of the statement",
    ),
];

const FROM_CLIENT: [Clause; 3] = [
    required(
        "FROM",
        &["FROM CLIENT SCHEMA _"],
        "right after the ingestor's name",
    ),
    clause("FILTER", "after SCHEMA, before MODE"),
    required(
        "MODE",
        &["MODE NO_ACK"],
        "after SCHEMA and FILTER WHERE, before the first TO",
    ),
];

const FROM_KAFKA: [Clause; 5] = [
    required(
        "FROM",
        &["FROM KAFKA _ TOPIC _"],
        "right after the ingestor's name",
    ),
    required(
        "OFFSET",
        &["OFFSET BY CONSUMER GROUP _"],
        "after TOPIC, before MODE",
    ),
    required("MODE", &["MODE NO_ACK"], "after the source, before DECODE USING"),
    required("DECODE", &["DECODE USING _"], "right after MODE"),
    clause("FILTER", "after DECODE USING, before the first TO"),
];

const ROUTES: [Clause; 9] = [
    required(
        "TO",
        &["TO _"],
        "after MODE and FILTER WHERE, once for each route",
    ),
    clause("INHERIT", "right after the route's relay"),
    clause("SET", "after INHERIT, before WHERE"),
    clause("WHERE", "after SET, before UNBRANCHED or BRANCHED BY"),
    either(
        "UNBRANCHED",
        &["UNBRANCHED"],
        "BRANCHED BY",
        "after the construction, before FLUSH",
    ),
    required(
        "BRANCHED",
        &["BRANCHED BY _ SET _ = NULL"],
        "after the construction, before FLUSH",
    ),
    required(
        "FLUSH",
        &["FLUSH IMMEDIATE"],
        "after UNBRANCHED or BRANCHED BY, before ON MESSAGE ERROR",
    ),
    required(
        "ON MESSAGE",
        &["ON MESSAGE ERROR LOG"],
        "after FLUSH, at the end of each route",
    ),
    required(
        "ON GENERAL",
        &["ON GENERAL ERROR LOG"],
        "at the end of the statement, after the last route",
    ),
];

const RELAY: [Clause; 5] = [
    required("SCHEMA", &["SCHEMA _"], "right after the relay's name"),
    either(
        "UNBRANCHED",
        &["UNBRANCHED"],
        "BRANCHED BY",
        "after SCHEMA, before CAPACITY",
    ),
    required("BRANCHED", &["BRANCHED BY _"], "after SCHEMA, before CAPACITY"),
    clause(
        "CAPACITY",
        "after UNBRANCHED or BRANCHED BY, before WITH MATERIALIZED STATE",
    ),
    clause("WITH", "at the end of the statement"),
];

const BRANCH: [Clause; 3] = [
    required("SCHEMA", &["SCHEMA _"], "right after the branch's name"),
    required("TTL", &["TTL 1s"], "after SCHEMA, before MAX INSTANCES"),
    clause("MAX", "after TTL, at the end of the statement"),
];

const CLIENT: [Clause; 4] = [
    required("TYPE", &["TYPE KAFKA"], "right after the client's name"),
    clause("POOL", "after TYPE, before MOUNT and CONFIG"),
    clause("MOUNT", "after TYPE and POOL SIZE, before CONFIG"),
    required("CONFIG", &["CONFIG {}"], "at the end of the statement"),
];

const CODEC: [Clause; 7] = [
    required(
        "FROM",
        &["FROM SYSLOG", "FROM WIRE JSON SCHEMA _", "FROM JSON"],
        "right after the codec's name",
    ),
    clause("CONFIG", "after USING RESOURCE and VERSION, before MESSAGE"),
    clause("MESSAGE", "after CONFIG, before TO SCHEMA"),
    clause("BATCH MESSAGE", "right after MESSAGE, before TO SCHEMA"),
    required(
        "TO",
        &["TO SCHEMA _"],
        "after the format, before WITH JAQ TRANSFORMATIONS or ENCODE",
    ),
    clause("ENCODE", "after TO SCHEMA"),
    clause("WITH", "after TO SCHEMA"),
];

/// The clauses of the statement that the tokens begin, in their order; none where order is no question.
pub(super) fn clauses_of(tokens: Tokens<'_>) -> Vec<&'static Clause> {
    let parts = match tokens.first() {
        Some(first) if first.is_word("CREATE") => created(tokens),
        Some(first) if first.is_word("ALTER") => altered(tokens),
        _ => Vec::new(),
    };
    parts.into_iter().flatten().collect()
}

type Parts = Vec<&'static [Clause]>;

fn created(tokens: Tokens<'_>) -> Parts {
    // CREATE IF NOT EXISTS ATTACHED is the most that stands before a kind.
    let head = tokens.get(..tokens.len().min(6)).unwrap_or_default();
    for token in head {
        let kind = |word| token.is_word(word);
        if kind("EMITTER") {
            let sink = sink(tokens);
            return [&SOURCES as &[Clause]]
                .into_iter()
                .chain(sink)
                .chain([&RECORDS as &[Clause]])
                .collect();
        }
        if kind("INGESTOR") {
            let kafka = follows(tokens, "FROM", "KAFKA");
            return vec![if kafka { &FROM_KAFKA } else { &FROM_CLIENT }, &ROUTES];
        }
        let alone: [(&str, &'static [Clause]); 4] = [
            ("RELAY", &RELAY),
            ("BRANCH", &BRANCH),
            ("CLIENT", &CLIENT),
            ("CODEC", &CODEC),
        ];
        if let Some((_, clauses)) = alone.into_iter().find(|(word, _)| kind(word)) {
            return vec![clauses];
        }
    }
    Vec::new()
}

/// Of ALTER, only the destination that SET TO writes has clauses in an order.
fn altered(tokens: Tokens<'_>) -> Parts {
    let emitter = tokens.get(1).is_some_and(|kind| kind.is_word("EMITTER"));
    match emitter && follows(tokens, "SET", "TO") {
        true => sink(tokens),
        false => Vec::new(),
    }
}

/// The clauses of a destination, with those that it alone has.
fn sink(tokens: Tokens<'_>) -> Parts {
    let (before, behind): (&'static [Clause], &'static [Clause]) = if follows(tokens, "TO", "HTTP") {
        (&HTTP, &[])
    } else if follows(tokens, "TO", "OTEL") {
        (&METRIC, &OTEL)
    } else if follows(tokens, "TO", "ICEBERG") {
        (&[], &ICEBERG)
    } else {
        (&[], &[])
    };
    vec![before, &VALUES, behind, &DELIVERY]
}

/// Whether one word stands right behind another.
fn follows(tokens: Tokens<'_>, first: &str, second: &str) -> bool {
    tokens
        .windows(2)
        .any(|pair| matches!(pair, [a, b] if a.is_word(first) && b.is_word(second)))
}
