//! Several model statements need a transaction (rulings section 1).

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1101",
    title: "Two or more model statements in a row stand between BEGIN and COMMIT",
    fails: "CREATE RELAY a SCHEMA event UNBRANCHED; CREATE RELAY b SCHEMA event UNBRANCHED;",
    passes: "BEGIN; CREATE RELAY a SCHEMA event UNBRANCHED; CREATE RELAY b SCHEMA event UNBRANCHED; COMMIT;",
};

/// `first` is the statement before this one.
pub(crate) fn fault(second: Span, first: Span) -> Diagnostic {
    RULE.fault(
        second,
        "several statements that change the model need a transaction",
    )
    .label(first.range(), "the first of them")
    .help("write BEGIN; before the first and COMMIT; after the last: all of them take effect, or none")
}
