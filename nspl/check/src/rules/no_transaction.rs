//! COMMIT and REVERT end a transaction.

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1105",
    title: "COMMIT and REVERT follow BEGIN",
    fails: "CREATE RELAY a SCHEMA event UNBRANCHED; COMMIT;",
    passes: "BEGIN; CREATE RELAY a SCHEMA event UNBRANCHED; COMMIT;",
};

/// `word` is COMMIT or REVERT.
pub(crate) fn fault(place: Span, word: &str) -> Diagnostic {
    RULE.fault(place, format!("{word} without BEGIN"))
        .help("a single statement needs neither; write BEGIN; before the first of several")
}
