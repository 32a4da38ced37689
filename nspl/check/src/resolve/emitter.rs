//! EMITTER (emitters.txt).

use std::sync::Arc;

use nspl_model::{Attachment, Body, EmitterDef};
use nspl_syntax::emitter as tree;

use super::construction::Route;
use super::sink::SinkSite;
use super::{Boundary, Resolver};
use crate::expression::{Environment, Record, States};

impl Resolver<'_> {
    pub(super) fn emitter_definition(&mut self, tree: &tree::Emitter) -> Option<Arc<EmitterDef>> {
        let sources = self.sources(&tree.sources);
        let collect = match &tree.collect {
            Some(collect) => self.collect(collect).map(Some),
            None => Some(None),
        };
        let (dependencies, states) = self.dependencies(&tree.dependencies, &sources.relays);
        let states: States<'_> = states
            .iter()
            .map(|(relay, schema)| (*relay, schema.as_deref().map(Record::of)))
            .collect();
        let flush = self.flush(&tree.flush);
        let capabilities = self.capabilities(&tree.sink)?;
        let input = sources.input.as_deref().map(Record::of);
        let row = Environment::source_row(input.as_ref(), Some(&states));
        let body = self.body(&tree.sink, capabilities, &row);
        let mode = self.mode(&tree.sink.mode, capabilities);
        let output = body.output.as_deref().map(Record::of);
        let route = Route {
            input: input.as_ref(),
            output: output.as_ref(),
            constructs: body.constructs(),
            states: Some(&states),
            boundary: Boundary::External,
        };
        let construction = match capabilities.body {
            Body::Values => {
                self.only_maps(&tree.construction, capabilities);
                body.construction.clone()
            }
            _ => self.construction(&tree.construction, route),
        };
        let site = SinkSite {
            capabilities,
            body: &body,
            route,
            sources: &sources.relays,
        };
        let sink = self.sink(&tree.sink, site);
        let headers = self.headers(&tree.construction.invoke, site);
        let batch = self.batch(tree.batch.as_ref(), &tree.sink, site);
        let on_message_error = self.message_policy(&tree.on_message_error, route, &sources.relays);
        Some(Arc::new(EmitterDef {
            domain: self.world.domain().to_owned(),
            name: tree.name.text.clone(),
            attachment: match tree.attachment() {
                tree::Attachment::Attached => Attachment::Attached,
                tree::Attachment::Detached => Attachment::Detached,
            },
            sources: sources.definitions?,
            collect: collect?,
            dependencies: dependencies?,
            sink: sink?,
            output: body.output.clone()?,
            construction: construction?,
            content: body.content.clone()?,
            headers: headers?,
            batch: batch?,
            flush: flush?,
            mode: mode?,
            on_message_error: on_message_error?,
            on_general_error: Self::general_policy(&tree.on_general_error),
        }))
    }
}
