//! The fields of a schema and of its wire schema (rulings section 4).

use nspl_model::{Schema, WireSchemaDef};
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1502",
    title: "Every field of a schema has a wire field of its name, and a wire field without one is OPTIONAL",
    fails: "BEGIN; CREATE WIRE JSON SCHEMA w MODE STRICT (reason string, more string);
CREATE CODEC c FROM WIRE JSON SCHEMA w TO SCHEMA failure; COMMIT;",
    passes: "BEGIN; CREATE WIRE JSON SCHEMA w MODE STRICT (reason string, more string OPTIONAL);
CREATE CODEC c FROM WIRE JSON SCHEMA w TO SCHEMA failure; COMMIT;",
};

/// Fields of the schema have no place outside.
pub(crate) fn missing(place: Span, wire: &WireSchemaDef, schema: &Schema, fields: &[&str]) -> Diagnostic {
    let (fields, kind) = (fields.join(", "), wire.format.entity_kind());
    RULE.fault(
        place,
        format!(
            "{kind} {} has no field {fields}, which SCHEMA {} has",
            wire.name, schema.name
        ),
    )
    .help(format!("ALTER {kind} {} ADD FIELD ... adds one", wire.name))
}

/// Wire fields would have to be written and nothing holds their values.
pub(crate) fn surplus(place: Span, wire: &WireSchemaDef, schema: &Schema, fields: &[&str]) -> Diagnostic {
    let (fields, kind) = (fields.join(", "), wire.format.entity_kind());
    RULE.fault(
        place,
        format!(
            "{kind} {} requires {fields}, which SCHEMA {} does not have",
            wire.name, schema.name
        ),
    )
    .help("make it OPTIONAL in the wire schema: it is left out then")
}
