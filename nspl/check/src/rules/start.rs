//! START AT and TIME RATE (rulings section 1).

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1106",
    title: "START AT and TIME RATE need a paced domain, an RFC 3339 instant and a positive number",
    fails: "START AT NOW;",
    passes: "START;",
};

/// The domain runs by the wall clock.
pub(crate) fn needs_pace(statement: Span, domain: &str) -> Diagnostic {
    RULE.fault(
        statement,
        format!("START AT in domain {domain}, which is unpaced"),
    )
    .help("write START; or create the domain as CREATE PACED DOMAIN ... WITH PERIOD ... SKEW ...")
}

/// The text is no instant.
pub(crate) fn instant(place: Span, why: &str) -> Diagnostic {
    RULE.fault(place, format!("START AT: {why}"))
}

/// The rate is not above 0.
pub(crate) fn rate(place: Span) -> Diagnostic {
    RULE.fault(place, "TIME RATE is not a positive number")
        .help("such as TIME RATE 2.5")
}
