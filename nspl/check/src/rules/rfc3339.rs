//! ENCODE f AS RFC3339 (companion section 12, rulings section 4).

use nspl_model::{Field, Schema};
use nspl_syntax::{Name, Span};

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1505",
    title: "A schemaful codec names every DATETIME field in ENCODE f AS RFC3339, once, and no other field",
    fails: "BEGIN; CREATE SCHEMA s (at DATETIME); CREATE WIRE JSON SCHEMA w MODE STRICT (at string);
CREATE CODEC c FROM WIRE JSON SCHEMA w TO SCHEMA s; COMMIT;",
    passes: "BEGIN; CREATE SCHEMA s (at DATETIME); CREATE WIRE JSON SCHEMA w MODE STRICT (at string);
CREATE CODEC c FROM WIRE JSON SCHEMA w TO SCHEMA s ENCODE at AS RFC3339; COMMIT;",
};

/// The field is named a second time.
pub(crate) fn doubled(name: &Name, before: Span) -> Diagnostic {
    RULE.fault(name.span, format!("ENCODE names the field {} twice", name.text))
        .label(before.range(), "first named here")
}

/// The field is of another type.
pub(crate) fn no_datetime(name: &Name, field: &Field) -> Diagnostic {
    RULE.fault(
        name.span,
        format!(
            "AS RFC3339 writes DATETIME, and the field {} is {}",
            name.text, field.data_type
        ),
    )
    .help("leave it out of ENCODE")
}

/// DATETIME fields that ENCODE does not name.
pub(crate) fn missing(place: Span, schema: &Schema, fields: &[&str]) -> Diagnostic {
    let clauses: Vec<String> = fields.iter().map(|field| format!("{field} AS RFC3339")).collect();
    RULE.fault(
        place,
        format!(
            "DATETIME has a wire form as text only; SCHEMA {} has the DATETIME field {}",
            schema.name,
            fields.join(", ")
        ),
    )
    .help(format!("write ENCODE {}", clauses.join(", ")))
}

/// A list of DATETIME: ENCODE names whole fields.
pub(crate) fn in_list(place: Span, schema: &Schema, field: &Field) -> Diagnostic {
    RULE.fault(
        place,
        format!(
            "the field {} of SCHEMA {} is {}: DATETIME has no wire form inside a list",
            field.name, schema.name, field.data_type
        ),
    )
    .help("make the elements STRING, or use a codec with JAQ transformations")
}
