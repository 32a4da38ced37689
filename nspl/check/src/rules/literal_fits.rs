//! A literal takes the type its context asks for when it fits (companion section 1).

use nspl_model::DataType;
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::{Rule, emitter_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1308",
    title: "A number fits the type of its place",
    fails: emitter_example!("INHERIT id SET flag = small = 300"),
    passes: emitter_example!("INHERIT id SET flag = small = 100"),
};

/// The literal does not fit; `why` says what would.
pub(crate) fn fault(place: Span, written: &str, wanted: &DataType, why: &str) -> Diagnostic {
    RULE.fault(place, format!("{written} does not fit {wanted}: {why}"))
}
