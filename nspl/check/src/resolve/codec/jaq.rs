//! `WITH JAQ TRANSFORMATIONS` (rulings section 3).

use nspl_model::{JaqFormat, JaqPrograms};
use nspl_syntax::codec as tree;

use super::super::Resolver;
use crate::rules;

impl Resolver<'_> {
    pub(super) fn programs(&mut self, tree: &tree::Transformations) -> Option<JaqPrograms> {
        let faults_before = self.faults.len();
        match (&tree.on_ingestion, &tree.on_emitting, &tree.on_emitting_batch) {
            (None, None, None) => self.faults.push(rules::jaq_clauses::none(tree.span)),
            (_, None, Some(batch)) => self.faults.push(rules::jaq_clauses::batch_alone(batch.span)),
            _ => {}
        }
        let text = |program: &Option<nspl_syntax::Text>| program.as_ref().map(|text| text.value.clone());
        (self.faults.len() == faults_before).then(|| JaqPrograms {
            ingestion: text(&tree.on_ingestion),
            emitting: text(&tree.on_emitting),
            emitting_batch: text(&tree.on_emitting_batch),
        })
    }
}

pub(super) fn format(format: tree::JaqFormat) -> JaqFormat {
    match format {
        tree::JaqFormat::Json => JaqFormat::Json,
        tree::JaqFormat::Yaml => JaqFormat::Yaml,
        tree::JaqFormat::Toml => JaqFormat::Toml,
        tree::JaqFormat::Xml => JaqFormat::Xml,
        tree::JaqFormat::Cbor => JaqFormat::Cbor,
    }
}
