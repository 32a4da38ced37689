//! RESOURCE is the same for every record (emitters.txt "OTEL").

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::{Rule, direct_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1270",
    title: "The values of RESOURCE are literals or arrays of literals",
    fails: direct_example!(
        "OTEL otel LOGS VALUES {'time' = at, 'body' = id} RESOURCE {'service.name' = label}",
        ""
    ),
    passes: direct_example!(
        "OTEL otel LOGS VALUES {'time' = at, 'body' = id} RESOURCE {'service.name' = 'shop'}",
        ""
    ),
};

/// It is computed, or null.
pub(crate) fn fault(place: Span) -> Diagnostic {
    RULE.fault(
        place,
        "RESOURCE takes literals and arrays of literals, never null",
    )
    .help("write such as 'shop' or ['a', 'b']; what differs by record is an entry of ATTRIBUTES")
}
