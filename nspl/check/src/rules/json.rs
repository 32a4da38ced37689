//! Paths and targets of the JSON functions (rulings section 5).

use nspl_model::{DataType, JsonPathError};
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::{Rule, emitter_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1316",
    title: "The JSON functions have a valid path and a scalar target",
    fails: emitter_example!("INHERIT id SET note = JSON_VALUE(document, 'a.b' AS STRING)"),
    passes: emitter_example!("INHERIT id SET note = JSON_VALUE(document, '$.a.b' AS STRING)"),
};

/// The text is no path.
pub(crate) fn path(place: Span, why: &JsonPathError) -> Diagnostic {
    RULE.fault(place, format!("no JSON path: {why}"))
        .help("such as '$.items[0][\"unit price\"]'")
}

/// The target is no scalar.
pub(crate) fn target(place: Span, found: &DataType) -> Diagnostic {
    RULE.fault(place, format!("JSON_VALUE gives scalars, not {found}"))
        .help("a scalar type: integers, floats, BOOL, STRING, DATETIME")
}
