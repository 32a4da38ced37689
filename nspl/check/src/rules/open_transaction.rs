//! A script does not end inside of a transaction (rulings section 1).

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1104",
    title: "BEGIN is followed by COMMIT or REVERT",
    fails: "BEGIN; CREATE RELAY a SCHEMA event UNBRANCHED;",
    passes: "BEGIN; CREATE RELAY a SCHEMA event UNBRANCHED; COMMIT;",
};

/// The script ends without an end of the transaction.
pub(crate) fn fault(begin: Span) -> Diagnostic {
    RULE.fault(begin, "the script ends inside of this transaction")
        .help("end it with COMMIT; or REVERT;")
}
