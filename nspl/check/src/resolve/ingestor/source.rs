//! FROM of ingestors, with what depends on it: DECODE USING and MODE (companion section 8, rulings section 3).

use std::sync::Arc;

use nspl_model::{ClientKind, CodecDef, IngestMode, KafkaSinkDef, Schema, SourceKind};
use nspl_syntax::Name;
use nspl_syntax::ingestor as tree;

use super::super::Resolver;
use crate::quantity::positive_u32;
use crate::rules;

impl Resolver<'_> {
    /// The payload as far as it is known, and the source when it has no fault.
    pub(super) fn ingest_source(
        &mut self,
        tree: &tree::Ingestor,
    ) -> (Option<Arc<Schema>>, Option<SourceKind>) {
        let build = match &tree.source {
            tree::IngestorSource::Client { .. } => SourceKind::CLIENT,
            tree::IngestorSource::Kafka { .. } => SourceKind::KAFKA,
        };
        if !self.world.can_run(self.owner, build.word) {
            self.faults.push(rules::kind_available::source(
                tree.name.span,
                self.owner,
                build,
                self.world.settings,
            ));
        }
        match &tree.source {
            tree::IngestorSource::Client { schema } => {
                let schema = self.schema(schema);
                if let Some(codec) = &tree.codec {
                    self.faults.push(rules::ingest_codec::barred(codec));
                }
                (schema.clone(), schema.map(|schema| SourceKind::Client { schema }))
            }
            tree::IngestorSource::Kafka {
                client,
                topic,
                group,
                instances,
            } => {
                let client = self.client(client, ClientKind::Kafka);
                let topic = self.external_name(topic, "TOPIC", KafkaSinkDef::topic_fault);
                let group = self.external_name(group, "CONSUMER GROUP", SourceKind::group_fault);
                let instances = match instances {
                    Some(instances) => {
                        let most = SourceKind::INSTANCES_MAX;
                        positive_u32(instances, "INSTANCES", most, &mut self.faults)
                    }
                    None => Some(1),
                };
                let codec = match &tree.codec {
                    Some(name) => self.codec(name).map(|codec| (name, codec)),
                    None => {
                        self.faults.push(rules::ingest_codec::missing(tree.name.span));
                        None
                    }
                };
                let schema = codec.as_ref().map(|(_, codec)| codec.schema.clone());
                let codec = codec.and_then(|(name, codec)| self.decoding(name, codec));
                let parts = client.zip(instances).zip(codec).zip(topic.zip(group));
                let source = parts.map(
                    |(((client, instances), codec), (topic, group))| SourceKind::Kafka {
                        client,
                        topic,
                        group,
                        instances,
                        codec,
                    },
                );
                (schema, source)
            }
        }
    }

    fn decoding(&mut self, name: &Name, codec: Arc<CodecDef>) -> Option<Arc<CodecDef>> {
        if codec.decodes() {
            return Some(codec);
        }
        self.faults.push(rules::ingest_codec::decodes_not(name));
        None
    }

    pub(super) fn ingest_mode(
        &mut self,
        tree: &tree::IngestorMode,
        source: &tree::IngestorSource,
    ) -> Option<IngestMode> {
        match (&tree.kind, source) {
            (tree::IngestorModeKind::NoAck, _) => Some(IngestMode::NoAck),
            (tree::IngestorModeKind::Ack, tree::IngestorSource::Client { .. }) => Some(IngestMode::Ack),
            (tree::IngestorModeKind::AckWindow(_), tree::IngestorSource::Client { .. }) => {
                self.faults.push(rules::ingest_mode::window(tree.span));
                None
            }
            (tree::IngestorModeKind::Ack, tree::IngestorSource::Kafka { .. }) => {
                self.faults.push(rules::ingest_mode::no_window(tree.span));
                None
            }
            (tree::IngestorModeKind::AckWindow(window), tree::IngestorSource::Kafka { .. }) => {
                self.window(window).map(IngestMode::AckWindow)
            }
        }
    }
}
