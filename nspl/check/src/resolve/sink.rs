//! TO of emitters: what the sink needs, judged by its capabilities.

use std::sync::Arc;

use nspl_model::{Body as BodyRule, Capabilities, ClientSinkDef, HeaderRule, Schema, SinkDef, SinkKind};
use nspl_syntax::construction::Construction;
use nspl_syntax::sink as tree;

use super::Resolver;
use crate::rules;

/// A sink as far as it is known.
pub(super) struct ResolvedSink {
    pub(super) capabilities: &'static Capabilities,
    /// What the construction builds.
    pub(super) output: Option<Arc<Schema>>,
    pub(super) definition: Option<SinkDef>,
}

impl Resolver<'_> {
    /// `None`: this destination cannot be judged, which is reported.
    pub(super) fn sink(&mut self, tree: &tree::Sink, construction: &Construction) -> Option<ResolvedSink> {
        let kind = SinkKind::ALL
            .into_iter()
            .find(|kind| kind.name() == tree.target.keyword());
        let Some(capabilities) = kind.and_then(SinkKind::capabilities) else {
            let what = format!("an emitter TO {}", tree.target.keyword());
            self.faults.push(rules::unsupported::fault(tree.span, &what));
            return None;
        };
        if !self.world.can_run(self.owner, capabilities.kind.name()) {
            let fault = rules::kind_available::fault(tree.span, self.owner, capabilities.kind.name());
            self.faults.push(fault);
        }
        self.body(tree, capabilities);
        if capabilities.headers == HeaderRule::Refused {
            let faults = construction
                .invoke
                .iter()
                .map(|call| rules::invoke::fault(call.span, capabilities));
            self.faults.extend(faults.collect::<Vec<_>>());
        }
        let tree::SinkTarget::Client(client) = &tree.target else {
            return None;
        };
        let output = self.schema(&client.schema);
        let definition = output
            .clone()
            .map(|schema| SinkDef::Client(ClientSinkDef { schema }));
        Some(ResolvedSink {
            capabilities,
            output,
            definition,
        })
    }

    fn body(&mut self, tree: &tree::Sink, sink: &Capabilities) {
        let transforms = sink.body != BodyRule::Values;
        if let Some(values) = tree.values.as_ref().filter(|_| transforms) {
            self.faults.push(rules::body::fault(values.span, sink, "VALUES"));
        }
        let encodes = matches!(sink.body, BodyRule::Codec | BodyRule::CodecOrNone);
        if let Some(body) = tree.body.as_ref().filter(|_| !encodes) {
            let clause = match body.node {
                tree::Body::Codec(_) => "ENCODE USING",
                tree::Body::Without => "WITHOUT BODY",
            };
            self.faults.push(rules::body::fault(body.span, sink, clause));
        }
    }
}
