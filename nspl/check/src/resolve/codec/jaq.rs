//! `WITH JAQ TRANSFORMATIONS` (rulings section 3).

use nspl_jaq::{Program, Reason};
use nspl_model::{JaqFormat, JaqPrograms};
use nspl_syntax::{Text, codec as tree};

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
        let programs = [
            ("ON INGESTION", &tree.on_ingestion),
            ("ON EMITTING", &tree.on_emitting),
            ("ON EMITTING BATCH", &tree.on_emitting_batch),
        ];
        for (clause, program) in programs {
            if let Some(program) = program {
                self.program(clause, program);
            }
        }
        let text = |program: &Option<Text>| program.as_ref().map(|text| text.value.clone());
        self.is_clean_since(faults_before).then(|| JaqPrograms {
            ingestion: text(&tree.on_ingestion),
            emitting: text(&tree.on_emitting),
            emitting_batch: text(&tree.on_emitting_batch),
        })
    }

    /// Programs that are stored already were judged before: another release of the compiler is no reason to refuse what
    /// runs.
    fn program(&mut self, clause: &str, program: &Text) {
        if !self.world.is_fresh(self.owner) {
            return;
        }
        let faults = Program::compile(&program.value).err().unwrap_or_default();
        let faults = faults.iter().map(|fault| match fault.reason {
            Reason::Barred { .. } | Reason::Import => rules::jaq_reach::fault(clause, program, fault),
            _ => rules::jaq_program::fault(clause, program, fault),
        });
        self.faults.extend(faults);
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
