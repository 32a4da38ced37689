//! BATCH of emitters, judged by the sink's capabilities.

use nspl_model::{BatchLimits, Capabilities, Presence};
use nspl_syntax::Span;
use nspl_syntax::emitter::batch as tree;

use super::Resolver;
use crate::quantity::{positive_u32, size};
use crate::rules;

impl Resolver<'_> {
    /// `place` is where the clause is missed when it is required and left out.
    pub(super) fn batch(
        &mut self,
        tree: Option<&tree::Batch>,
        sink: &Capabilities,
        place: Span,
    ) -> Option<Option<BatchLimits>> {
        let tree = match (tree, sink.batch) {
            (None, Presence::Required) => {
                self.faults.push(rules::batch_presence::missing(place, sink));
                return None;
            }
            (None, _) => return Some(None),
            (Some(tree), Presence::Barred) => {
                self.faults.push(rules::batch_presence::barred(tree.span, sink));
                return None;
            }
            (Some(tree), _) => tree,
        };
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
            ));
            return None;
        }
        Some(Some(BatchLimits {
            max_messages,
            max_bytes,
        }))
    }
}
