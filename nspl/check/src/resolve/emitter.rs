//! EMITTER (emitters.txt).

use std::sync::Arc;

use nspl_model::{Attachment, Content, EmitterDef};
use nspl_syntax::emitter as tree;

use super::construction::Route;
use super::{Boundary, Resolver};

impl Resolver<'_> {
    pub(super) fn emitter_definition(&mut self, tree: &tree::Emitter) -> Option<Arc<EmitterDef>> {
        let sources = self.sources(&tree.sources);
        let collect = match &tree.collect {
            Some(collect) => self.collect(collect).map(Some),
            None => Some(None),
        };
        let (dependencies, states) = self.dependencies(&tree.dependencies, &sources.relays);
        let sink = self.sink(&tree.sink, &tree.construction);
        let flush = self.flush(&tree.flush);
        let sink = sink?;
        let mode = self.mode(&tree.sink.mode, sink.capabilities);
        let input = sources.input.clone();
        let route = Route {
            input: input.as_deref(),
            output: sink.output.as_deref(),
            states: &states,
            boundary: Boundary::External,
        };
        let construction = self.construction(&tree.construction, route);
        let batch = self.batch(tree.batch.as_ref(), sink.capabilities, tree.sink.span);
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
            sink: sink.definition?,
            output: sink.output.clone()?,
            construction: construction?,
            content: Content::Columns,
            headers: Vec::new(),
            batch: batch?,
            flush: flush?,
            mode: mode?,
            on_message_error: on_message_error?,
            on_general_error: Self::general_policy(&tree.on_general_error),
        }))
    }
}
