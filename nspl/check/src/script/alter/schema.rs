//! ALTER SCHEMA.

use nspl_syntax::Name;
use nspl_syntax::alter::schema::{AlterSchema, Modifier};
use nspl_syntax::schema::{Field, Schema};

use crate::Diagnostic;
use crate::rules;

pub(super) fn apply(schema: &mut Schema, operation: &AlterSchema) -> Result<(), Diagnostic> {
    match operation {
        AlterSchema::Add(field) => {
            vacant(schema, &field.name)?;
            schema.fields.push(field.clone());
        }
        AlterSchema::Drop(name) => {
            find(schema, name)?;
            if schema.fields.len() == 1 {
                return Err(rules::alter::last_field(name.span, &owner(schema)));
            }
            schema.fields.retain(|field| field.name != *name);
        }
        AlterSchema::Rename { field, to } => {
            if field != to {
                vacant(schema, to)?;
            }
            find(schema, field)?.name = to.clone();
        }
        AlterSchema::SetType { field, data_type } => find(schema, field)?.data_type = data_type.clone(),
        AlterSchema::Modify {
            field,
            modifier,
            present,
        } => {
            let field = find(schema, field)?;
            match modifier {
                Modifier::Optional => field.optional = *present,
                Modifier::Sensitive => field.sensitive = *present,
            }
        }
    }
    Ok(())
}

fn owner(schema: &Schema) -> String {
    format!("SCHEMA {}", schema.name.text)
}

fn find<'s>(schema: &'s mut Schema, name: &Name) -> Result<&'s mut Field, Diagnostic> {
    let owner = owner(schema);
    let found = schema.fields.iter_mut().find(|field| field.name == *name);
    found.ok_or_else(|| rules::alter::no_field(name.span, &owner, &name.text))
}

fn vacant(schema: &Schema, name: &Name) -> Result<(), Diagnostic> {
    match schema.fields.iter().any(|field| field.name == *name) {
        true => Err(rules::alter::field_exists(name.span, &owner(schema), &name.text)),
        false => Ok(()),
    }
}
