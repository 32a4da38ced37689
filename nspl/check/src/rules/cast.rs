//! Conversions are those of rulings section 5.

use nspl_model::DataType;
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::{Rule, emitter_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1312",
    title: "AS and TRY_CAST convert between types that have a conversion",
    fails: emitter_example!("INHERIT id SET amount = active AS I64"),
    passes: emitter_example!("INHERIT id SET amount = IF active THEN 1 ELSE 0 END"),
};

/// There is no such conversion.
pub(crate) fn fault(place: Span, from: &DataType, to: &DataType) -> Diagnostic {
    let fault = RULE.fault(place, format!("there is no conversion from {from} to {to}"));
    if from.is_list() || to.is_list() {
        return fault.help("ARRAY and VEC are never converted");
    }
    if *from == DataType::Bool && to.is_numeric() {
        return fault.help("write IF ... THEN 1 ELSE 0 END");
    }
    fault.help("numbers convert among themselves; numbers, BOOL, DATETIME and BYTES to STRING and back")
}
