//! output reads what is set already (companion section 5).

use nspl_model::Field;
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::{Rule, emitter_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1303",
    title: "output.f and the working message read fields that are set, or that the input has alike",
    fails: emitter_example!("INHERIT id SET flag = output.amount = 1, amount = 1"),
    passes: emitter_example!("INHERIT id SET amount = 1, flag = output.amount = 1"),
};

/// The field is not set yet.
pub(crate) fn fault(place: Span, field: &str) -> Diagnostic {
    RULE.fault(place, format!("output.{field} is not set yet"))
        .help("set it by an earlier item, or read input")
}

/// The output's field is not set, and the input's of the same name is another type or nullability.
pub(crate) fn ambiguous(place: Span, input: &Field, output: &Field) -> Diagnostic {
    let shown = |field: &Field| {
        format!(
            "{}{}",
            field.data_type,
            if field.optional { " OPTIONAL" } else { "" }
        )
    };
    let name = &input.name;
    let message = format!(
        "{name} is not set yet, and differs from that of the input: {} in the output, {} in the input",
        shown(output),
        shown(input)
    );
    RULE.fault(place, message)
        .help(format!("write input.{name}, or set {name} by an earlier item"))
}
