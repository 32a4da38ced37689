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

/// The literal does not fit; `why` says what would, and `fits` is the least type that has it.
pub(crate) fn fault(
    place: Span,
    written: &str,
    wanted: &DataType,
    (why, fits): (&str, Option<&DataType>),
) -> Diagnostic {
    let fault = RULE.fault(place, format!("{written} does not fit {wanted}: {why}"));
    let decimal = written.contains(['.', 'e', 'E']);
    match fits {
        Some(_) if wanted.is_float() && !decimal => {
            fault.help(format!("write {written}.0 to have it rounded to {wanted}"))
        }
        Some(fits) => fault.help(format!(
            "{fits} has it: declare the field as {fits}, or convert what stands beside it: ... AS {fits}"
        )),
        None => fault.help("no type has it: write a number that fits"),
    }
}
