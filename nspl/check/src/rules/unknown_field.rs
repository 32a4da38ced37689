//! Names in expressions are fields (companion section 5).

use nspl_model::Schema;
use nspl_syntax::{Name, Span, Text};

use crate::Diagnostic;
use crate::nearest::nearest;
use crate::rule::{Rule, emitter_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1301",
    title: "A field that is named exists in its schema",
    fails: emitter_example!("INHERIT id SET note = input.nothing"),
    passes: emitter_example!("INHERIT id SET note = input.note"),
};

/// The fields among which one is looked for that may have been meant, for each name that is unknown.
const COMPARED_MAX: usize = 1_024;

/// The schema has no such field.
pub(crate) fn fault(name: &Name, schema: &Schema) -> Diagnostic {
    missing(name.span, &name.text, schema)
}

/// A key that names no field.
pub(crate) fn of_key(key: &Text, schema: &Schema) -> Diagnostic {
    missing(key.span, &key.value, schema)
}

/// Neither the input nor the output has it.
pub(crate) fn neither(name: &Name, input: &Schema, output: &Schema) -> Diagnostic {
    let message = match input.name == output.name {
        true => format!("{} has no field {}", described(input), name.text),
        false => format!(
            "neither {} nor {} has a field {}",
            described(input),
            described(output),
            name.text
        ),
    };
    let fields = input
        .fields
        .iter()
        .chain(&output.fields)
        .take(COMPARED_MAX)
        .map(|field| field.name.as_str());
    suggest(RULE.fault(name.span, message), nearest(&name.text, fields))
}

fn missing(place: Span, name: &str, schema: &Schema) -> Diagnostic {
    let fields = schema.fields.iter().take(COMPARED_MAX);
    let fields = fields.map(|field| field.name.as_str());
    suggest(
        RULE.fault(place, format!("{} has no field {name}", described(schema))),
        nearest(name, fields),
    )
}

fn described(schema: &Schema) -> String {
    if schema.name.is_empty() {
        "the scope error".into()
    } else {
        format!("SCHEMA {}", schema.name)
    }
}

fn suggest(fault: Diagnostic, near: Option<&str>) -> Diagnostic {
    match near {
        Some(near) => fault.help(format!("it has a field {near}")),
        None => fault,
    }
}
