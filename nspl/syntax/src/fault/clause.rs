//! The order of clauses, for the help of a clause that stands out of its place (rulings section 3).

use crate::grammar::Tokens;
use crate::token::Token;

/// A clause and where it belongs.
pub(crate) struct Clause {
    /// Its leading keywords.
    pub(crate) words: &'static str,
    /// Where it belongs.
    pub(crate) belongs: &'static str,
}

const fn clause(words: &'static str, belongs: &'static str) -> Clause {
    Clause { words, belongs }
}

const EMITTER: [Clause; 17] = [
    clause("FROM", "right after the emitter's name"),
    clause("COLLECT", "after the FROM list and before TO"),
    clause("USING", "after FROM and COLLECT, before TO"),
    clause("TO", "after FROM, COLLECT and USING MATERIALIZED STATE"),
    clause(
        "VALUES",
        "right after the table, collection or signal, before MODE",
    ),
    clause("ON CONFLICT", "right after VALUES, before MODE"),
    clause("MODE", "after the destination and before ENCODE USING"),
    clause("ENCODE", "right after MODE"),
    clause("WITHOUT", "right after MODE"),
    clause("INHERIT", "after the sink clause, before SET"),
    clause("SET", "after INHERIT, before WHERE"),
    clause(
        "WHERE",
        "after SET, before INVOKE (of a direct sink: right after VALUES)",
    ),
    clause("INVOKE", "after WHERE, before BATCH"),
    clause("BATCH", "after the construction, before FLUSH"),
    clause("FLUSH", "after BATCH, before ON MESSAGE ERROR"),
    clause("ON MESSAGE", "after FLUSH, before ON GENERAL ERROR"),
    clause("ON GENERAL", "at the end of the statement"),
];

const FROM_CLIENT: [Clause; 3] = [
    clause("FROM", "right after the ingestor's name"),
    clause("FILTER", "after SCHEMA, before MODE"),
    clause("MODE", "after SCHEMA and FILTER WHERE, before the first TO"),
];

const FROM_KAFKA: [Clause; 5] = [
    clause("FROM", "right after the ingestor's name"),
    clause("OFFSET", "after TOPIC, before MODE"),
    clause("MODE", "after the source, before DECODE USING"),
    clause("DECODE", "right after MODE"),
    clause("FILTER", "after DECODE USING, before the first TO"),
];

const ROUTES: [Clause; 9] = [
    clause("TO", "after MODE and FILTER WHERE, once for each route"),
    clause("INHERIT", "right after the route's relay"),
    clause("SET", "after INHERIT, before WHERE"),
    clause("WHERE", "after SET, before UNBRANCHED or BRANCHED BY"),
    clause("UNBRANCHED", "after the construction, before FLUSH"),
    clause("BRANCHED", "after the construction, before FLUSH"),
    clause(
        "FLUSH",
        "after UNBRANCHED or BRANCHED BY, before ON MESSAGE ERROR",
    ),
    clause("ON MESSAGE", "after FLUSH, at the end of each route"),
    clause("ON GENERAL", "at the end of the statement, after the last route"),
];

const RELAY: [Clause; 5] = [
    clause("SCHEMA", "right after the relay's name"),
    clause("UNBRANCHED", "after SCHEMA, before CAPACITY"),
    clause("BRANCHED", "after SCHEMA, before CAPACITY"),
    clause(
        "CAPACITY",
        "after UNBRANCHED or BRANCHED BY, before WITH MATERIALIZED STATE",
    ),
    clause("WITH", "at the end of the statement"),
];

const BRANCH: [Clause; 3] = [
    clause("SCHEMA", "right after the branch's name"),
    clause("TTL", "after SCHEMA, before MAX INSTANCES"),
    clause("MAX", "after TTL, at the end of the statement"),
];

const CLIENT: [Clause; 4] = [
    clause("TYPE", "right after the client's name"),
    clause("POOL", "after TYPE, before MOUNT and CONFIG"),
    clause("MOUNT", "after TYPE and POOL SIZE, before CONFIG"),
    clause("CONFIG", "at the end of the statement"),
];

const CODEC: [Clause; 7] = [
    clause("FROM", "right after the codec's name"),
    clause("CONFIG", "after USING RESOURCE and VERSION, before MESSAGE"),
    clause("MESSAGE", "after CONFIG, before TO SCHEMA"),
    clause("BATCH MESSAGE", "right after MESSAGE, before TO SCHEMA"),
    clause(
        "TO",
        "after the format, before WITH JAQ TRANSFORMATIONS or ENCODE",
    ),
    clause("ENCODE", "after TO SCHEMA"),
    clause("WITH", "after TO SCHEMA"),
];

/// The clauses of the statement that the tokens begin, in their order; none where order is no question.
fn clauses_of(tokens: Tokens<'_>) -> Vec<&'static Clause> {
    if !tokens.first().is_some_and(|token| token.is_word("CREATE")) {
        return Vec::new();
    }
    let kafka = tokens
        .windows(2)
        .any(|pair| matches!(pair, [from, kind] if from.is_word("FROM") && kind.is_word("KAFKA")));
    let intake: &'static [Clause] = if kafka { &FROM_KAFKA } else { &FROM_CLIENT };
    let kinds: [(&str, &'static [Clause], &'static [Clause]); 6] = [
        ("EMITTER", &EMITTER, &[]),
        ("INGESTOR", intake, &ROUTES),
        ("RELAY", &RELAY, &[]),
        ("BRANCH", &BRANCH, &[]),
        ("CLIENT", &CLIENT, &[]),
        ("CODEC", &CODEC, &[]),
    ];
    let mut head = tokens.iter().take(6);
    head.find_map(|token| kinds.iter().find(|(kind, ..)| token.is_word(kind)))
        .map(|(_, first, then)| first.iter().chain(then.iter()).collect())
        .unwrap_or_default()
}

/// What the order of clauses says about a token that did not fit.
pub(crate) enum Placement {
    /// It begins no clause, or its place is no question.
    Unknown,
    /// It begins a clause that comes too late or a second time.
    Late(&'static Clause),
    /// It begins a clause that comes too early, because the clause at this index of the tokens belongs before it.
    Early(&'static Clause, usize),
}

/// Judges the token at `at`, where the labels `expected` would have fitted.
pub(crate) fn placement(tokens: Tokens<'_>, at: usize, expected: &[&'static str]) -> Placement {
    let clauses = clauses_of(tokens);
    let Some(rank) = clause_at(&clauses, tokens, at) else {
        return Placement::Unknown;
    };
    let Some(found) = clauses.get(rank) else {
        return Placement::Unknown;
    };
    // SET and WHERE stand in several places, and each TO of an ingestor begins its clauses anew.
    let tells = |index: usize| {
        clause_at(&clauses, tokens, index).filter(|rank| {
            !matches!(
                clauses.get(*rank).map(|clause| clause.words),
                Some("SET" | "WHERE")
            )
        })
    };
    let route = (0..at)
        .rev()
        .find(|index| tokens.get(*index).is_some_and(|token| token.is_word("TO")))
        .unwrap_or(0);
    if (route..at).filter_map(tells).any(|before| before >= rank) {
        return Placement::Late(found);
    }
    let wanted = |index: usize| {
        let before = tells(index).and_then(|rank| clauses.get(rank))?;
        let first = before.words.split(' ').next().unwrap_or_default();
        let fits = expected
            .iter()
            .any(|label| label.split(' ').next() == Some(first) && label.starts_with(before.words));
        fits.then_some(Placement::Early(before, index))
    };
    (at + 1..tokens.len())
        .find_map(wanted)
        .unwrap_or(Placement::Unknown)
}

/// The rank of the clause that begins at a token.
fn clause_at(clauses: &[&Clause], tokens: Tokens<'_>, at: usize) -> Option<usize> {
    let matches = |clause: &&Clause| {
        let mut words = clause.words.split(' ').enumerate();
        words.all(|(offset, word)| {
            tokens
                .get(at + offset)
                .is_some_and(|token: &Token<'_>| token.is_word(word))
        })
    };
    clauses.iter().position(matches)
}
