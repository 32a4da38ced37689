//! CODEC in its four forms (companion section 2, rulings section 3).

mod jaq;
mod protobuf;
mod schemaful;
mod syslog;

use std::sync::Arc;

use nspl_model::{CodecDef, CodecForm};
use nspl_syntax::codec as tree;

use super::Resolver;

impl Resolver<'_> {
    pub(super) fn codec_definition(&mut self, tree: &tree::Codec) -> Option<Arc<CodecDef>> {
        let schema = self.schema(&tree.schema);
        let form = match &tree.form {
            tree::CodecForm::Schemaful {
                format,
                wire_schema,
                rfc3339,
            } => self.schemaful_form((*format, wire_schema), rfc3339, schema.as_deref()),
            tree::CodecForm::Jaq {
                format,
                transformations,
            } => self.programs(transformations).map(|programs| CodecForm::Jaq {
                format: jaq::format(*format),
                programs,
            }),
            tree::CodecForm::Protobuf(tree) => self.protobuf_form(tree),
            tree::CodecForm::Syslog => {
                let fits = schema
                    .as_deref()
                    .is_some_and(|schema| self.syslog_schema(&tree.schema, schema));
                fits.then_some(CodecForm::Syslog)
            }
        };
        Some(Arc::new(CodecDef {
            name: tree.name.text.clone(),
            schema: schema?,
            form: form?,
        }))
    }
}
