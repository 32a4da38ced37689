//! Every required field of a record is set (companion section 5).

use nspl_model::Schema;
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::{Rule, emitter_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1215",
    title: "A construction sets every field that is not OPTIONAL",
    fails: emitter_example!("SET amount = 1"),
    passes: emitter_example!("INHERIT id SET amount = 1"),
};

/// A construction leaves required fields without a value.
pub(crate) fn fault(place: Span, schema: &Schema, missing: &[&str]) -> Diagnostic {
    let first = missing.first().copied().unwrap_or_default();
    unset(place, schema, missing).help(format!("INHERIT {first}, or SET {first} = ..."))
}

/// So do the assignments of an error route or of a branch key, which inherit nothing.
pub(crate) fn in_assignments(place: Span, schema: &Schema, missing: &[&str]) -> Diagnostic {
    let first = missing.first().copied().unwrap_or_default();
    unset(place, schema, missing).help(format!("SET {first} = ..."))
}

fn unset(place: Span, schema: &Schema, missing: &[&str]) -> Diagnostic {
    RULE.fault(
        place,
        format!(
            "{} of SCHEMA {} is required and not set",
            missing.join(", "),
            schema.name
        ),
    )
}

/// So does a DEFAULT record.
pub(crate) fn in_default(place: Span, schema: &Schema, missing: &[&str]) -> Diagnostic {
    RULE.fault(
        place,
        format!(
            "{} of SCHEMA {} is required and not in DEFAULT",
            missing.join(", "),
            schema.name
        ),
    )
    .help("DEFAULT {'field' = literal, ...} sets every field that is not OPTIONAL")
}
