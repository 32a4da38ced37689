//! BATCH of emitters, judged by the sink's capabilities.

use nspl_model::{BatchLimits, CodecDef, CodecForm, Content, Presence};
use nspl_syntax::emitter::batch as tree;
use nspl_syntax::sink::Sink;

use super::Resolver;
use super::sink::SinkSite;
use crate::quantity::{positive_u32, size};
use crate::rules;

impl Resolver<'_> {
    pub(super) fn batch(
        &mut self,
        tree: Option<&tree::Batch>,
        place: &Sink,
        site: SinkSite<'_>,
    ) -> Option<Option<BatchLimits>> {
        let sink = site.capabilities;
        let tree = match (tree, sink.batch) {
            (None, Presence::Required) => {
                self.faults.push(rules::batch_presence::missing(place.span, sink));
                return None;
            }
            (None, _) => return Some(None),
            (Some(tree), Presence::Barred) => {
                self.faults.push(rules::batch_presence::barred(tree.span, sink));
                return None;
            }
            (Some(tree), _) => tree,
        };
        if let Some(Content::Encoded(codec)) = &site.body.content {
            self.batch_codec(tree, codec, site);
        }
        let most = BatchLimits::MESSAGES_MAX;
        let max_messages = positive_u32(&tree.max_messages, "BATCH MAX MESSAGES", most, &mut self.faults);
        let max_bytes = size(&tree.max_size, "BATCH MAX SIZE", &mut self.faults);
        let (max_messages, max_bytes) = (max_messages?, max_bytes?);
        if let Some(most) = sink.batch_bytes_max
            && max_bytes > most
        {
            self.faults.push(rules::batch_size::above_sink(
                tree.max_size.span,
                sink,
                max_bytes,
                most,
            ));
            return None;
        }
        if let Some(message) = self
            .world
            .flight_message_max(self.owner)
            .filter(|_| sink.bounded_by_flight)
            && max_bytes > message.saturating_sub(rules::batch_size::FLIGHT_ROOM_BYTES)
        {
            self.faults.push(rules::batch_size::above_flight(
                tree.max_size.span,
                max_bytes,
                message,
                self.world.node(),
            ));
            return None;
        }
        Some(Some(BatchLimits {
            max_messages,
            max_bytes,
        }))
    }

    /// Whether the codec has a container for the members of a batch, as far as its definition alone says so.
    fn batch_codec(&mut self, tree: &tree::Batch, codec: &CodecDef, site: SinkSite<'_>) {
        let program = codec
            .programs()
            .is_some_and(|programs| programs.emitting_batch.is_some());
        if site.capabilities.batch_program && !program {
            self.faults.push(rules::batch_codec::no_program(
                tree.span,
                site.capabilities,
                codec,
            ));
        }
        if let CodecForm::Protobuf(protobuf) = &codec.form {
            match &protobuf.batch_message {
                None => self.faults.push(rules::batch_codec::no_message(tree.span, codec)),
                Some(_) if program => {}
                Some(batch) => self.batch_message(tree.span, codec, (protobuf, batch)),
            }
        }
    }
}
