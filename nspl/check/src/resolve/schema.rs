//! SCHEMA.

use std::collections::HashMap;
use std::sync::Arc;

use nspl_model::{Field, Schema};
use nspl_syntax::schema as tree;

use super::Resolver;
use crate::data_type::data_type_or_fault;
use crate::rules;

impl Resolver<'_> {
    pub(super) fn schema_definition(&mut self, tree: &tree::Schema) -> Option<Arc<Schema>> {
        let mut first = HashMap::new();
        let mut fields = Vec::new();
        let mut whole = true;
        for field in &tree.fields {
            if let Some(before) = first.insert(field.name.text.as_str(), field.name.span) {
                self.faults.push(rules::doubled_field::fault(&field.name, before));
                continue;
            }
            match data_type_or_fault(&field.data_type, &mut self.faults) {
                Some(data_type) => fields.push(Field {
                    name: field.name.text.clone(),
                    data_type,
                    optional: field.optional,
                    sensitive: field.sensitive,
                }),
                None => whole = false,
            }
        }
        whole.then(|| {
            Arc::new(Schema {
                name: tree.name.text.clone(),
                fields,
            })
        })
    }
}
