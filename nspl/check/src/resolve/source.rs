//! The FROM list of emitters.

use std::collections::HashMap;
use std::sync::Arc;

use nspl_model::{RelayDef, Schema, SourceDef};
use nspl_syntax::Span;
use nspl_syntax::emitter::source as tree;

use super::Resolver;
use crate::expression::{Environment, NO_STATES, Output, Place, Record, Row};
use crate::rules;

/// The sources as far as they are known.
pub(super) struct Sources {
    /// `None` when any of them has a fault.
    pub(super) definitions: Option<Vec<SourceDef>>,
    /// Those that are known.
    pub(super) relays: Vec<Arc<RelayDef>>,
    /// The payload that all of them declare.
    pub(super) input: Option<Arc<Schema>>,
}

impl Resolver<'_> {
    pub(super) fn sources(&mut self, trees: &[tree::Source]) -> Sources {
        let found = self.source_relays(trees);
        let mut definitions = Vec::new();
        // They declare one schema, so its fields are put in order once.
        let mut record: Option<Record<'_>> = None;
        for (tree, relay) in trees.iter().zip(&found) {
            let schema = relay.as_ref().map(|relay| &*relay.schema);
            if record.as_ref().map(|record| std::ptr::from_ref(record.schema))
                != schema.map(std::ptr::from_ref)
            {
                record = schema.map(Record::of);
            }
            let filter = match &tree.filter {
                Some(filter) => {
                    let env = row_environment(record.as_ref());
                    self.condition(&env, filter, "a source's WHERE")
                        .map(|typed| Some(typed.expr))
                }
                None => Some(None),
            };
            definitions.push(
                relay
                    .clone()
                    .zip(filter)
                    .map(|(relay, filter)| SourceDef { relay, filter }),
            );
        }
        let relays: Vec<Arc<RelayDef>> = found.iter().flatten().cloned().collect();
        let input = relays.first().map(|relay| relay.schema.clone());
        let one_schema = relays.iter().all(|relay| {
            input
                .as_ref()
                .is_some_and(|first| first.name == relay.schema.name)
        });
        let definitions = definitions
            .into_iter()
            .collect::<Option<Vec<_>>>()
            .filter(|_| one_schema);
        Sources {
            definitions,
            relays,
            input,
        }
    }

    /// The relay of each source, when it is known and not listed before.
    fn source_relays(&mut self, trees: &[tree::Source]) -> Vec<Option<Arc<RelayDef>>> {
        let mut seen: HashMap<&str, Span> = HashMap::new();
        let mut first: Option<Arc<RelayDef>> = None;
        let mut found = Vec::with_capacity(trees.len());
        for tree in trees {
            if let Some(before) = seen.get(tree.relay.text.as_str()) {
                self.faults
                    .push(rules::doubled_source::fault(&tree.relay, *before));
                found.push(None);
                continue;
            }
            seen.insert(&tree.relay.text, tree.relay.span);
            let relay = self.relay(&tree.relay);
            if let Some((first, relay)) = first.as_ref().zip(relay.as_ref())
                && first.schema.name != relay.schema.name
            {
                self.faults
                    .push(rules::source_schemas::fault(tree.relay.span, first, relay));
            }
            first = first.or_else(|| relay.clone());
            found.push(relay);
        }
        found
    }
}

/// What reads the source row alone.
pub(super) fn row_environment<'a>(input: Row<'a>) -> Environment<'a> {
    Environment {
        place: Place::SourceFilter,
        input,
        output: Output::None,
        states: Some(NO_STATES),
        partial_output: Output::None,
        error: None,
    }
}
