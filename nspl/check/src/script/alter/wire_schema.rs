//! ALTER WIRE JSON|CBOR|AVRO SCHEMA.

use nspl_syntax::alter::schema::AlterWireSchema;
use nspl_syntax::wire_schema::{WireField, WireSchema};
use nspl_syntax::{Name, Span};

use super::parts::{Part, Parts, Refusal};
use crate::Diagnostic;
use crate::rules::alter as rule;

impl Part for WireField {
    fn name(&self) -> &Name {
        &self.name
    }

    fn name_mut(&mut self) -> &mut Name {
        &mut self.name
    }

    fn absent(place: Span, owner: &str, name: &str, known: &[&str]) -> Diagnostic {
        rule::no_field(place, owner, name, known)
    }

    fn present(place: Span, owner: &str, name: &str) -> Diagnostic {
        rule::field_exists(place, owner, name)
    }

    fn last(place: Span, owner: &str) -> Diagnostic {
        rule::last_field(place, owner)
    }
}

/// The fields of a wire schema, which has none meanwhile.
pub(super) fn fields(schema: &mut WireSchema) -> Parts<WireField> {
    let owner = format!("WIRE {} SCHEMA {}", schema.format.as_str(), schema.name.text);
    Parts::new(owner, std::mem::take(&mut schema.fields))
}

pub(super) fn apply(
    schema: &mut WireSchema,
    fields: &mut Parts<WireField>,
    operations: &[AlterWireSchema],
) -> Vec<Refusal> {
    let mut refused = Vec::new();
    for operation in operations {
        match operation {
            AlterWireSchema::Mode(mode) => schema.mode = *mode,
            operation => refused.extend(one(fields, operation).err()),
        }
    }
    refused
}

fn one(fields: &mut Parts<WireField>, operation: &AlterWireSchema) -> Result<(), Refusal> {
    match operation {
        AlterWireSchema::Add(field) => fields.add(field.clone())?,
        AlterWireSchema::Drop(name) => fields.remove(name)?,
        AlterWireSchema::Rename { field, to } => fields.rename(field, to)?,
        AlterWireSchema::SetType { field, wire_type } => fields.find(field)?.wire_type = wire_type.clone(),
        AlterWireSchema::SetOptional { field, present } => fields.find(field)?.optional = *present,
        // It is one of the schema, of no field.
        AlterWireSchema::Mode(_) => {}
    }
    Ok(())
}
