//! Everything lives in a domain; there is no implicit one (companion section 2).

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1005",
    title: "A statement about something in a domain follows USE, or the command names the domain",
    fails: "",
    passes: "",
};

/// No domain is set.
pub(crate) fn fault(statement: Span) -> Diagnostic {
    RULE.fault(statement, "no domain is set for this statement")
        .help("write USE d; before it, or give --domain d")
}
