//! WIRE JSON|CBOR|AVRO SCHEMA (companion section 2, rulings section 4).

use std::collections::HashMap;
use std::sync::Arc;

use nspl_model::{WireField, WireFormat, WireMode, WireSchemaDef};
use nspl_syntax::wire_schema as tree;

use super::Resolver;
use crate::rules;

impl Resolver<'_> {
    pub(super) fn wire_schema_definition(&mut self, tree: &tree::WireSchema) -> Option<Arc<WireSchemaDef>> {
        let format = wire_format(tree.format);
        let mut first = HashMap::new();
        let mut fields = Vec::new();
        let mut whole = true;
        for field in &tree.fields {
            if let Some(before) = first.insert(field.name.text.as_str(), field.name.span) {
                self.faults.push(rules::doubled_field::fault(&field.name, before));
                continue;
            }
            match format.type_named(&field.wire_type.text) {
                Some(wire_type) => fields.push(WireField {
                    name: field.name.text.clone(),
                    wire_type,
                    optional: field.optional,
                }),
                None => {
                    self.faults
                        .push(rules::wire_type::fault(&field.wire_type, format));
                    whole = false;
                }
            }
        }
        whole.then(|| {
            Arc::new(WireSchemaDef {
                name: tree.name.text.clone(),
                format,
                mode: match tree.mode.node {
                    tree::WireMode::Strict => WireMode::Strict,
                    tree::WireMode::Loose => WireMode::Loose,
                },
                fields,
            })
        })
    }
}

pub(super) fn wire_format(format: tree::WireFormat) -> WireFormat {
    match format {
        tree::WireFormat::Json => WireFormat::Json,
        tree::WireFormat::Cbor => WireFormat::Cbor,
        tree::WireFormat::Avro => WireFormat::Avro,
    }
}
