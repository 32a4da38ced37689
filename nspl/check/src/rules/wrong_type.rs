//! Types are exact: nothing is converted unasked (companion section 3).

use nspl_model::DataType;
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::constant::convert::converts;
use crate::rule::{Rule, emitter_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1304",
    title: "A value has exactly the type of its place",
    fails: emitter_example!("INHERIT id SET amount = small"),
    passes: emitter_example!("INHERIT id SET amount = small AS I64"),
};

/// `what` takes another type.
pub(crate) fn fault(place: Span, what: &str, wanted: &DataType, found: &DataType) -> Diagnostic {
    let fault = RULE.fault(place, format!("{what} takes {wanted}, and this is {found}"));
    if converts(found, wanted) {
        fault.help(format!("convert it: ... AS {wanted}"))
    } else {
        fault
    }
}
