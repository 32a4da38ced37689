//! The FROM list of emitters.

use std::collections::HashMap;
use std::sync::Arc;

use nspl_model::{RelayDef, Schema, SourceDef};
use nspl_syntax::Span;
use nspl_syntax::emitter::source as tree;

use super::Resolver;
use crate::expression::{Environment, Output, Place};
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
        let mut relays: Vec<Arc<RelayDef>> = Vec::new();
        let mut definitions = Vec::new();
        let mut seen: HashMap<&str, Span> = HashMap::new();
        for tree in trees {
            if let Some(before) = seen.get(tree.relay.text.as_str()) {
                self.faults
                    .push(rules::doubled_source::fault(&tree.relay, *before));
                definitions.push(None);
                continue;
            }
            seen.insert(&tree.relay.text, tree.relay.span);
            let relay = self.relay(&tree.relay);
            if let Some((first, relay)) = relays.first().zip(relay.as_ref())
                && first.schema.name != relay.schema.name
            {
                self.faults
                    .push(rules::source_schemas::fault(tree.relay.span, first, relay));
            }
            relays.extend(relay.clone());
            let filter = match &tree.filter {
                Some(filter) => {
                    let env = row_environment(relay.as_ref().map(|relay| &*relay.schema));
                    self.condition(&env, filter, "a source's WHERE")
                        .map(|typed| Some(typed.expr))
                }
                None => Some(None),
            };
            definitions.push(
                relay
                    .zip(filter)
                    .map(|(relay, filter)| SourceDef { relay, filter }),
            );
        }
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
}

/// What reads the source row alone.
pub(super) fn row_environment(input: Option<&Schema>) -> Environment<'_> {
    Environment {
        place: Place::SourceFilter,
        input,
        output: Output::None,
        states: Some(&[]),
        partial_output: Output::None,
        error: None,
    }
}
