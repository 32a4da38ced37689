//! Which wire types a type goes with (rulings section 4).

use nspl_model::{Field, WireField, WireFormat, WireType};
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1503",
    title: "The type of a field goes with its wire type",
    fails: "BEGIN; CREATE WIRE JSON SCHEMA w MODE STRICT (reason integer);
CREATE CODEC c FROM WIRE JSON SCHEMA w TO SCHEMA failure; COMMIT;",
    passes: "BEGIN; CREATE WIRE JSON SCHEMA w MODE STRICT (reason string);
CREATE CODEC c FROM WIRE JSON SCHEMA w TO SCHEMA failure; COMMIT;",
};

/// `takes` is what the type goes with.
pub(crate) fn fault(
    place: Span,
    (field, outside): (&Field, &WireField),
    format: WireFormat,
    takes: &[WireType],
) -> Diagnostic {
    let takes: Vec<&str> = takes.iter().copied().map(WireType::name).collect();
    RULE.fault(
        place,
        format!(
            "the field {} is {} inside and {} outside",
            field.name, field.data_type, outside.wire_type
        ),
    )
    .help(format!(
        "in {format}, {} goes with {}",
        field.data_type,
        takes.join(" or ")
    ))
}
