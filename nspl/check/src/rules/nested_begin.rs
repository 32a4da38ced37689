//! BEGIN does not nest (rulings section 1).

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1102",
    title: "BEGIN stands outside of a transaction",
    fails: "BEGIN; BEGIN; CREATE RELAY a SCHEMA event UNBRANCHED; COMMIT;",
    passes: "BEGIN; CREATE RELAY a SCHEMA event UNBRANCHED; COMMIT;",
};

/// `outer` is the BEGIN that is open.
pub(crate) fn fault(place: Span, outer: Span) -> Diagnostic {
    RULE.fault(place, "BEGIN inside of a transaction")
        .label(outer.range(), "the transaction began here")
        .help("leave it out, or end the first transaction with COMMIT or REVERT")
}
