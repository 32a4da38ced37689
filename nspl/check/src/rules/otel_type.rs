//! What OTLP has no form for (emitters.txt "OTEL").

use nspl_model::DataType;
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::{Rule, direct_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1267",
    title: "Values and attributes of an OTEL emitter have one of the types that their key takes",
    fails: direct_example!(
        "OTEL otel METRIC 'm' UNIT '1' GAUGE VALUES {'time' = at, 'value' = note}",
        ""
    ),
    passes: direct_example!(
        "OTEL otel METRIC 'm' UNIT '1' GAUGE VALUES {'time' = at, 'value' = amount}",
        ""
    ),
};

/// `what` takes other types.
pub(crate) fn fault(place: Span, what: &str, takes: &str, found: &DataType) -> Diagnostic {
    RULE.fault(place, format!("{what} takes {takes}, and this is {found}"))
}

/// Attributes do not take the type.
pub(crate) fn attribute(place: Span, what: &str, found: &DataType) -> Diagnostic {
    let takes = "STRING, BOOL, numbers, DATETIME and one-dimensional ARRAY or VEC of them";
    fault(place, what, takes, found)
}
