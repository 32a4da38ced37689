//! INHERIT copies fields of one type, and nothing sensitive out of the system (rulings section 3).

use nspl_model::Field;
use nspl_syntax::{Name, Span};

use crate::Diagnostic;
use crate::constant::convert::converts;
use crate::resolve::Boundary;
use crate::rule::{Rule, emitter_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1214",
    title: "An inherited field has the same type on both sides, fits its nullability, and is not sensitive where it leaves",
    fails: emitter_example!("INHERIT id, label"),
    passes: emitter_example!("INHERIT id, amount"),
};

/// Whether the field of the input may be copied into that of the output; `allowance` is the boundary and LEAK SENSITIVE.
pub(crate) fn fault(
    place: Span,
    input: &Field,
    output: &Field,
    allowance: (Boundary, bool),
) -> Option<Diagnostic> {
    let (boundary, leaks) = allowance;
    let name = &output.name;
    if input.data_type != output.data_type {
        let message = format!(
            "{name} is {} in the input and {} in the output",
            input.data_type, output.data_type
        );
        let help = match converts(&input.data_type, &output.data_type) {
            true => format!("SET {name} = input.{name} AS {}", output.data_type),
            false => format!(
                "SET {name} = ... of type {}; {} does not convert to it",
                output.data_type, input.data_type
            ),
        };
        return Some(RULE.fault(place, message).help(help));
    }
    if input.optional && !output.optional {
        let message = format!("{name} may be null in the input and is required in the output");
        return Some(
            RULE.fault(place, message)
                .help(format!("SET {name} = coalesce(input.{name}, ...)")),
        );
    }
    let stays = boundary == Boundary::Graph && output.sensitive;
    if input.sensitive && !leaks && !stays {
        let message = format!("{name} is SENSITIVE and would be copied where it is not");
        return Some(
            RULE.fault(place, message)
                .help(format!("INHERIT {name} LEAK SENSITIVE, when that is meant")),
        );
    }
    None
}

/// What to write instead of INHERIT ALL: without the field, which is then set as the fault of it alone says.
pub(crate) fn in_all(fault: Diagnostic, except: &[Name], field: &Field) -> Diagnostic {
    let others: Vec<&str> = except
        .iter()
        .map(|name| name.text.as_str())
        .chain([field.name.as_str()])
        .collect();
    let all = format!("INHERIT ALL EXCEPT {}", others.join(", "));
    let set = fault.help.clone().filter(|help| help.starts_with("SET "));
    match set {
        Some(set) => fault.help(format!("{all}, and {set}")),
        None => fault.help(all),
    }
}
