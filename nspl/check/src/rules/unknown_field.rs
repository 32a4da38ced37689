//! Names in expressions are fields (companion section 5).

use nspl_model::Schema;
use nspl_syntax::{Name, Span, Text};

use crate::Diagnostic;
use crate::expression::Record;
use crate::nearest::nearest;
use crate::rule::{Rule, emitter_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1301",
    title: "A field that is named exists in its schema",
    fails: emitter_example!("INHERIT id SET note = input.nothing"),
    passes: emitter_example!("INHERIT id SET note = input.note"),
};

/// The schema has no such field.
pub(crate) fn fault(name: &Name, record: &Record<'_>) -> Diagnostic {
    missing(name.span, &name.text, record)
}

/// A key that names no field.
pub(crate) fn of_key(key: &Text, record: &Record<'_>) -> Diagnostic {
    missing(key.span, &key.value, record)
}

/// Neither the input nor the output has it.
pub(crate) fn neither(name: &Name, input: &Record<'_>, output: &Record<'_>) -> Diagnostic {
    let message = match input.schema.name == output.schema.name {
        true => format!("{} has no field {}", described(input.schema), name.text),
        false => format!(
            "neither {} nor {} has a field {}",
            described(input.schema),
            described(output.schema),
            name.text
        ),
    };
    let fault = RULE.fault(name.span, message);
    match nearest(&name.text, input.meant().chain(output.meant())) {
        Some(near) => fault.help(format!("it has a field {near}")),
        None => fault.help(format!("the input has {}", listed(input.schema))),
    }
}

fn missing(place: Span, name: &str, record: &Record<'_>) -> Diagnostic {
    let fault = RULE.fault(place, format!("{} has no field {name}", described(record.schema)));
    match nearest(name, record.meant()) {
        Some(near) => fault.help(format!("it has a field {near}")),
        None => fault.help(format!("it has {}", listed(record.schema))),
    }
}

/// More fields than this are counted.
const LISTED_MAX: usize = 12;

/// The names of the fields, in their order.
fn listed(schema: &Schema) -> String {
    let names: Vec<&str> = schema
        .fields
        .iter()
        .take(LISTED_MAX)
        .map(|field| field.name.as_str())
        .collect();
    match schema.fields.len().saturating_sub(LISTED_MAX) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

fn described(schema: &Schema) -> String {
    if schema.name.is_empty() {
        "the scope error".into()
    } else {
        format!("SCHEMA {}", schema.name)
    }
}
