//! INGESTOR (companion section 8).

mod source;

use std::sync::Arc;

use nspl_model::{IngestorDef, RouteDef};
use nspl_syntax::ingestor as tree;

use super::construction::Route;
use super::source::row_environment;
use super::{Boundary, Resolver};
use crate::expression::{Record, Row};
use crate::rules;

impl Resolver<'_> {
    pub(super) fn ingestor_definition(&mut self, tree: &tree::Ingestor) -> Option<Arc<IngestorDef>> {
        let (schema, source) = self.ingest_source(tree);
        let mode = self.ingest_mode(&tree.mode, &tree.source);
        let input = schema.as_deref().map(Record::of);
        let filter = match &tree.filter {
            Some(filter) => self
                .condition(&row_environment(input.as_ref()), filter, "FILTER WHERE")
                .map(|typed| Some(typed.expr)),
            None => Some(None),
        };
        let routes: Vec<Option<RouteDef>> = tree
            .routes
            .iter()
            .map(|route| self.route(route, input.as_ref()))
            .collect();
        Some(Arc::new(IngestorDef {
            domain: self.world.domain().to_owned(),
            name: tree.name.text.clone(),
            source: source?,
            filter: filter?,
            mode: mode?,
            routes: routes.into_iter().collect::<Option<Vec<_>>>()?,
            on_general_error: Self::general_policy(&tree.on_general_error),
        }))
    }

    fn route(&mut self, tree: &tree::Route, input: Row<'_>) -> Option<RouteDef> {
        let relay = self.relay(&tree.relay);
        let output = relay.as_ref().map(|relay| Record::of(&relay.schema));
        let route = Route {
            input,
            output: output.as_ref(),
            constructs: true,
            states: None,
            boundary: Boundary::Graph,
        };
        let construction = self.construction(&tree.construction, route);
        let invokes = tree
            .construction
            .invoke
            .iter()
            .map(|call| rules::invoke::in_ingestor(call.span));
        self.faults.extend(invokes.collect::<Vec<_>>());
        let branch_keys = self.branch_keys(&tree.branching, relay.as_deref(), route);
        let flush = self.flush(&tree.flush);
        let on_message_error = self.message_policy(&tree.on_message_error, route, &[]);
        Some(RouteDef {
            relay: relay?,
            construction: construction?,
            branch_keys: branch_keys?,
            flush: flush?,
            on_message_error: on_message_error?,
        })
    }
}
