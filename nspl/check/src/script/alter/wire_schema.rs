//! ALTER WIRE JSON|CBOR|AVRO SCHEMA.

use nspl_syntax::Name;
use nspl_syntax::alter::schema::AlterWireSchema;
use nspl_syntax::wire_schema::{WireField, WireSchema};

use crate::Diagnostic;
use crate::rules;

pub(super) fn apply(schema: &mut WireSchema, operation: &AlterWireSchema) -> Result<(), Diagnostic> {
    match operation {
        AlterWireSchema::Add(field) => {
            vacant(schema, &field.name)?;
            schema.fields.push(field.clone());
        }
        AlterWireSchema::Drop(name) => {
            find(schema, name)?;
            if schema.fields.len() == 1 {
                return Err(rules::alter::last_field(name.span, &owner(schema)));
            }
            schema.fields.retain(|field| field.name != *name);
        }
        AlterWireSchema::Rename { field, to } => {
            if field != to {
                vacant(schema, to)?;
            }
            find(schema, field)?.name = to.clone();
        }
        AlterWireSchema::SetType { field, wire_type } => find(schema, field)?.wire_type = wire_type.clone(),
        AlterWireSchema::SetOptional { field, present } => find(schema, field)?.optional = *present,
        AlterWireSchema::Mode(mode) => schema.mode = *mode,
    }
    Ok(())
}

fn owner(schema: &WireSchema) -> String {
    format!("WIRE {} SCHEMA {}", schema.format.as_str(), schema.name.text)
}

fn find<'s>(schema: &'s mut WireSchema, name: &Name) -> Result<&'s mut WireField, Diagnostic> {
    let owner = owner(schema);
    let found = schema.fields.iter_mut().find(|field| field.name == *name);
    found.ok_or_else(|| rules::alter::no_field(name.span, &owner, &name.text))
}

fn vacant(schema: &WireSchema, name: &Name) -> Result<(), Diagnostic> {
    match schema.fields.iter().any(|field| field.name == *name) {
        true => Err(rules::alter::field_exists(name.span, &owner(schema), &name.text)),
        false => Ok(()),
    }
}
