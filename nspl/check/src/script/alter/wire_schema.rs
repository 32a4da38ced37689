//! ALTER WIRE JSON|CBOR|AVRO SCHEMA.

use nspl_syntax::Name;
use nspl_syntax::alter::schema::AlterWireSchema;
use nspl_syntax::wire_schema::{WireField, WireSchema};

use super::fields::{Fields, Named};
use crate::Diagnostic;

impl Named for WireField {
    fn name(&mut self) -> &mut Name {
        &mut self.name
    }
}

pub(super) fn apply(schema: &mut WireSchema, operations: &[AlterWireSchema]) -> Vec<Diagnostic> {
    let owner = format!("WIRE {} SCHEMA {}", schema.format.as_str(), schema.name.text);
    let mut fields = Fields::new(owner, std::mem::take(&mut schema.fields));
    let mut faults = Vec::new();
    for operation in operations {
        match operation {
            AlterWireSchema::Mode(mode) => schema.mode = *mode,
            operation => faults.extend(one(&mut fields, operation).err()),
        }
    }
    schema.fields = fields.finish();
    faults
}

fn one(fields: &mut Fields<WireField>, operation: &AlterWireSchema) -> Result<(), Diagnostic> {
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
