//! Constants outside the closed sets of OTEL are refused (rulings section 7).

use nspl_model::OtelValue;
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::{Rule, direct_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1268",
    title: "A constant in VALUES of an OTEL emitter is one that its key takes",
    fails: direct_example!(
        "OTEL otel LOGS VALUES {'time' = at, 'body' = id, 'severity_number' = 25}",
        ""
    ),
    passes: direct_example!(
        "OTEL otel LOGS VALUES {'time' = at, 'body' = id, 'severity_number' = 24}",
        ""
    ),
};

/// The key does not take it.
pub(crate) fn fault(place: Span, what: &str, takes: OtelValue) -> Diagnostic {
    RULE.fault(place, format!("{what} never takes this value"))
        .help(format!("it takes {}", takes.words()))
}
