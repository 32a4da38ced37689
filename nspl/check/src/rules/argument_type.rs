//! Functions take exact types (companion section 4).

use nspl_model::{DataType, Function};
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::constant::convert::converts;
use crate::rule::{Rule, emitter_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1311",
    title: "An argument has a type that its function takes",
    fails: emitter_example!("INHERIT id SET note = lower(input.amount)"),
    passes: emitter_example!("INHERIT id SET note = lower(input.amount AS STRING)"),
};

/// The function takes something else.
pub(crate) fn fault(place: Span, function: Function, takes: &str, found: &DataType) -> Diagnostic {
    let fault = RULE.fault(
        place,
        format!("{}() takes {takes} here, and this is {found}", function.name()),
    );
    match takes {
        "STRING" if converts(found, &DataType::String) => fault.help("convert it: ... AS STRING"),
        "I64" if converts(found, &DataType::I64) => fault.help("convert it: ... AS I64"),
        _ => fault,
    }
}
