//! What may be null has to be allowed to be left out (rulings section 4).

use nspl_model::{Field, Schema, WireSchemaDef};
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1504",
    title: "The wire field of an OPTIONAL field is OPTIONAL",
    fails: "BEGIN; CREATE SCHEMA s (note STRING OPTIONAL); CREATE WIRE CBOR SCHEMA w MODE LOOSE (note string);
CREATE CODEC c FROM WIRE CBOR SCHEMA w TO SCHEMA s; COMMIT;",
    passes: "BEGIN; CREATE SCHEMA s (note STRING OPTIONAL); CREATE WIRE CBOR SCHEMA w MODE LOOSE (note string OPTIONAL);
CREATE CODEC c FROM WIRE CBOR SCHEMA w TO SCHEMA s; COMMIT;",
};

/// The field is OPTIONAL, its wire field is not.
pub(crate) fn fault(place: Span, wire: &WireSchemaDef, schema: &Schema, field: &Field) -> Diagnostic {
    let kind = wire.format.entity_kind();
    RULE.fault(
        place,
        format!(
            "the field {} is OPTIONAL in SCHEMA {}, and {kind} {} requires it",
            field.name, schema.name, wire.name
        ),
    )
    .help(format!(
        "ALTER {kind} {} ALTER FIELD {} SET OPTIONAL",
        wire.name, field.name
    ))
}
