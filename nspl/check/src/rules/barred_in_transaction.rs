//! Only model statements and reading ones stand inside of BEGIN (rulings section 1).

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1103",
    title: "CREATE and DROP DOMAIN, USE, START, STOP, UPLOAD and node statements stand outside of BEGIN",
    fails: "BEGIN; CREATE RELAY a SCHEMA event UNBRANCHED; START; COMMIT;",
    passes: "BEGIN; CREATE RELAY a SCHEMA event UNBRANCHED; COMMIT; START;",
};

/// `begin` is the BEGIN that is open.
pub(crate) fn fault(statement: Span, begin: Span) -> Diagnostic {
    RULE.fault(
        statement,
        "this statement stands alone, not inside of a transaction",
    )
    .label(begin.range(), "the transaction began here")
    .help("move it before BEGIN or after COMMIT")
}
