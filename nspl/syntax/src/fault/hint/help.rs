//! Helps of known mistakes that are neither foreign operators, nor quantities, nor the order of clauses.

use crate::data_type::DATA_TYPE;
use crate::expression::is_reserved;
use crate::fault::hint::{Stop, foreign};
use crate::fault::spelling::nearest;
use crate::grammar::{END, EXPRESSION, OPERATOR};
use crate::token::{Token, TokenKind};

/// Words that begin no entity and what the entity is called here.
const ENTITIES: [(&str, &str); 8] = [
    ("SINK", "what writes to the outside is an EMITTER"),
    ("SOURCE", "what reads from the outside is an INGESTOR"),
    ("STREAM", "a stream of records is a RELAY"),
    (
        "TABLE",
        "a stream of records is a RELAY; a table of an outside system is named by an emitter",
    ),
    (
        "TOPIC",
        "a stream of records is a RELAY; a topic of an outside system is named by an emitter or ingestor",
    ),
    ("CONNECTION", "a connection to an outside system is a CLIENT"),
    ("DATABASE", "what holds entities is a DOMAIN"),
    (
        "OR",
        "there is no OR REPLACE: use ALTER, or DROP and CREATE in one transaction",
    ),
];

/// The help of a plain fault.
pub(super) fn help(stop: &Stop<'_, '_>) -> Option<String> {
    let Some(found) = stop.found() else {
        return stop
            .expects(EXPRESSION)
            .then(|| "an expression is missing here".to_owned());
    };
    match found.kind {
        TokenKind::Word => word(stop, found),
        TokenKind::Text if stop.expected.iter().any(|label| label.ends_with("name")) => {
            Some("names are identifiers, written without quotes".to_owned())
        }
        TokenKind::Number | TokenKind::Quantity { .. } if stop.expects("a quoted RFC 3339 instant") => {
            Some("an instant is quoted, as in '2026-01-01T00:00:00Z'".to_owned())
        }
        TokenKind::Quantity { .. } => quantity(stop, found),
        TokenKind::Symbol => symbol(stop, found).map(str::to_owned),
        _ => None,
    }
}

/// A number with letters behind it, where no quantity is wanted.
fn quantity(stop: &Stop<'_, '_>, found: &Token<'_>) -> Option<String> {
    let behind_flush = stop.before(1).is_some_and(|token| token.is_word("FLUSH"));
    if behind_flush && stop.expects("EACH") {
        let every = found.text;
        return Some(format!(
            "write FLUSH EACH {every} MAX BATCH SIZE <bytes>, or FLUSH IMMEDIATE"
        ));
    }
    stop.expects(EXPRESSION).then(|| {
        "expressions have no durations, and DATETIME takes no arithmetic: compare it with another DATETIME, as in \
         at > '2026-01-01T00:00:00Z' AS DATETIME"
            .to_owned()
    })
}

fn symbol(stop: &Stop<'_, '_>, found: &Token<'_>) -> Option<&'static str> {
    let after_word = stop
        .before(1)
        .is_some_and(|before| before.kind == TokenKind::Word);
    match found.text {
        "*" if stop.before(1).is_some_and(|before| before.is_word("INHERIT")) => {
            Some("every field that the output has too is INHERIT ALL, or INHERIT ALL EXCEPT a, b")
        }
        ":" if stop.expects("=") => Some("a key and its value are joined with ="),
        ">" if stop.expects(",") && after_word => {
            Some("ARRAY takes the length of each axis, as in ARRAY<F32, 3>; a list of any length is VEC<T>")
        }
        "." | "-" | "/" | ":" if after_word && stop.before(2).is_some_and(names_outside) => {
            Some("a name of an outside system that is no identifier is quoted, as in 'orders.v1/eu-west'")
        }
        "=" | "!=" | "<>" | "<" | "<=" | ">" | ">=" if stop.expects(OPERATOR) => {
            Some("comparisons do not chain: join two with AND")
        }
        "+" if stop.expects(EXPRESSION) => Some("a number takes no plus sign"),
        _ => None,
    }
}

/// Whether what follows a word names something of an outside system.
fn names_outside(word: &Token<'_>) -> bool {
    const WORDS: [&str; 8] = [
        "TOPIC",
        "QUEUE",
        "CHANNEL",
        "SUBJECT",
        "TABLE",
        "COLLECTION",
        "GROUP",
        "NODE",
    ];
    WORDS.iter().any(|known| word.is_word(known))
}

fn word(stop: &Stop<'_, '_>, found: &Token<'_>) -> Option<String> {
    if stop.expects(EXPRESSION) && is_reserved(found.text) {
        let name = found.text;
        return Some(format!(
            "`{name}` is reserved in expressions; a field of that name is read as input.{name}"
        ));
    }
    if stop.expects(DATA_TYPE) {
        return Some(foreign::type_help(found.text));
    }
    let known = known_mistake(stop, found).map(str::to_owned);
    known.or_else(|| {
        let keywords = stop.expected.iter().copied().filter(|label| is_keyword(label));
        nearest(found.text, keywords).map(|keyword| format!("did you mean `{keyword}`?"))
    })
}

fn known_mistake(stop: &Stop<'_, '_>, found: &Token<'_>) -> Option<&'static str> {
    let begins = |kind: &str| stop.tokens.iter().take(5).any(|token| token.is_word(kind));
    let before = |word: &str| stop.before(1).is_some_and(|token| token.is_word(word));
    if before("CREATE")
        && let Some((_, help)) = ENTITIES.iter().find(|(entity, _)| found.is_word(entity))
    {
        return Some(help);
    }
    if found.is_word("OPTIONAL") && before("SENSITIVE") {
        Some("OPTIONAL stands before SENSITIVE")
    } else if found.is_word("NOT") && stop.expects("OPTIONAL") {
        Some("a field is required unless it is OPTIONAL: leave NOT NULL out")
    } else if found.is_word("TO") && stop.expects("WITH JAQ TRANSFORMATIONS") {
        Some("a codec that maps field by field is FROM WIRE JSON SCHEMA, and the like")
    } else if stop.expects("RETRY POLICY BACKOFF") && !found.is_word("RETRY") {
        Some("every MODE of an emitter has a RETRY POLICY, as in RETRY POLICY BACKOFF 250ms MAX 30s")
    } else if found.is_word("NOT") && before("IF") {
        Some("IF NOT EXISTS stands right after CREATE")
    } else if begins("INGESTOR") && (found.is_word("RETRY") || found.is_word("TIMEOUT")) {
        Some("the MODE of an ingestor has no ACK TIMEOUT and no RETRY POLICY")
    } else if found.is_word("TIME") && begins("START") && stop.expects(END) {
        Some("TIME RATE follows START AT")
    } else if stop.expects("a quoted key") {
        Some("keys are quoted, as in 'key' = value")
    } else if stop.is_in_config() {
        Some("a string is quoted, as in 'key' = 'value'")
    } else if (found.is_word("TRUE") || found.is_word("FALSE")) && before("IS") {
        Some("IS tests for NULL alone; a BOOL is a condition by itself")
    } else {
        None
    }
}

fn is_keyword(label: &str) -> bool {
    label
        .bytes()
        .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || matches!(byte, b' ' | b'_'))
}
