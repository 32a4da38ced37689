//! What is in use is not dropped before its users (companion section 2).

use std::ops::Range;

use nspl_model::EntityKey;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1004",
    title: "Something is dropped together with, or after, all that refers to it",
    fails: "DROP SCHEMA failure;",
    passes: "BEGIN; DROP SCHEMA failure; DROP RELAY failures; COMMIT;",
};

/// So many users are named; of the rest the number.
const NAMED_MAX: usize = 3;

/// `users` is not empty.
pub(crate) fn fault(statement: Range<usize>, key: &EntityKey, users: &[EntityKey]) -> Diagnostic {
    let named: Vec<String> = users.iter().take(NAMED_MAX).map(ToString::to_string).collect();
    let rest = match users.len().saturating_sub(NAMED_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    RULE.fault(
        statement,
        format!("{key} is in use by {}{rest}", named.join(", ")),
    )
    .help("drop what uses it in the same transaction: BEGIN; DROP ...; DROP ...; COMMIT;")
}
