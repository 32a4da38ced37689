//! Every required field of a record is set (companion section 5).

use nspl_model::Schema;
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::expression::Row;
use crate::rule::{Rule, emitter_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1215",
    title: "A construction sets every field that is not OPTIONAL",
    fails: emitter_example!("SET amount = 1"),
    passes: emitter_example!("INHERIT id SET amount = 1"),
};

/// A construction leaves required fields without a value; the input has some of them alike, which may be inherited.
pub(crate) fn fault(place: Span, schema: &Schema, missing: &[&str], input: Row<'_>) -> Diagnostic {
    let places = schema.places();
    let alike = |name: &str| {
        let (_, source) = input?.find(name)?;
        let field = schema.fields.get(*places.get(name)?)?;
        Some(source.data_type == field.data_type && !source.optional && !source.sensitive)
    };
    let (inherited, set): (Vec<&str>, Vec<&str>) = missing
        .iter()
        .copied()
        .partition(|name| alike(name) == Some(true));
    let mut parts = Vec::new();
    if !inherited.is_empty() {
        parts.push(format!("INHERIT {}", inherited.join(", ")));
    }
    if !set.is_empty() {
        parts.push(setting(schema, &set));
    }
    unset(place, schema, missing).help(parts.join(" "))
}

/// So do the assignments of an error route or of a branch key, which inherit nothing.
pub(crate) fn in_assignments(place: Span, schema: &Schema, missing: &[&str]) -> Diagnostic {
    unset(place, schema, missing).help(setting(schema, missing))
}

/// `SET a = <I64>, b = <STRING>`.
fn setting(schema: &Schema, names: &[&str]) -> String {
    let places = schema.places();
    let typed = |name: &&str| {
        let field = places.get(*name).and_then(|index| schema.fields.get(*index))?;
        Some(format!("{name} = <{}>", field.data_type))
    };
    let items: Vec<String> = names.iter().filter_map(typed).collect();
    format!("SET {}", items.join(", "))
}

fn unset(place: Span, schema: &Schema, missing: &[&str]) -> Diagnostic {
    RULE.fault(
        place,
        format!(
            "{} of SCHEMA {} {} required and not set",
            missing.join(", "),
            schema.name,
            are(missing)
        ),
    )
}

/// So does a DEFAULT record.
pub(crate) fn in_default(place: Span, schema: &Schema, missing: &[&str]) -> Diagnostic {
    RULE.fault(
        place,
        format!(
            "{} of SCHEMA {} {} required and not in DEFAULT",
            missing.join(", "),
            schema.name,
            are(missing)
        ),
    )
    .help("DEFAULT {'field' = literal, ...} sets every field that is not OPTIONAL")
}

fn are(names: &[&str]) -> &'static str {
    if names.len() == 1 { "is" } else { "are" }
}
