//! ALTER SCHEMA.

use nspl_syntax::alter::schema::{AlterSchema, Modifier};
use nspl_syntax::schema::{Field, Schema};
use nspl_syntax::{Name, Span};

use super::parts::{Part, Parts, Refusal};
use crate::Diagnostic;
use crate::rules::alter as rule;

impl Part for Field {
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

/// The fields of a schema, which has none meanwhile.
pub(super) fn fields(schema: &mut Schema) -> Parts<Field> {
    let owner = format!("SCHEMA {}", schema.name.text);
    Parts::new(owner, std::mem::take(&mut schema.fields))
}

pub(super) fn apply(fields: &mut Parts<Field>, operations: &[AlterSchema]) -> Vec<Refusal> {
    let done = operations.iter().map(|operation| one(fields, operation));
    done.filter_map(Result::err).collect()
}

fn one(fields: &mut Parts<Field>, operation: &AlterSchema) -> Result<(), Refusal> {
    match operation {
        AlterSchema::Add(field) => fields.add(field.clone())?,
        AlterSchema::Drop(name) => fields.remove(name)?,
        AlterSchema::Rename { field, to } => fields.rename(field, to)?,
        AlterSchema::SetType { field, data_type } => fields.find(field)?.data_type = data_type.clone(),
        AlterSchema::Modify {
            field,
            modifier,
            present,
        } => {
            let field = fields.find(field)?;
            match modifier {
                Modifier::Optional => field.optional = *present,
                Modifier::Sensitive => field.sensitive = *present,
            }
        }
    }
    Ok(())
}
