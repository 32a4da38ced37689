//! The payload shape: brokers, sockets, telemetry.

use std::sync::Arc;

use futures::future::BoxFuture;

use crate::outcome::{Failure, Outcome, Unsent};
use crate::payload::Payload;

/// Resolves once, with what the destination said about one payload.
pub type Confirmation = BoxFuture<'static, Outcome>;

/// Publishes encoded payloads.
///
/// The emitter's driver calls one method at a time. It decides what is sent again and when; a payload that was sent
/// before comes with the same [`PayloadId`](crate::PayloadId).
pub trait PayloadSink: Send {
    /// Starts the writes in the order given, of all payloads or of the first of them; one confirmation for each that it
    /// took, in the same order. Nothing is begun of the others, and it takes one at least unless some that it took before are
    /// not answered: when they are, the others come again, before anything newer. In a mode with
    /// confirmations each is the destination's answer; in one without it tells that the client took the payload, or
    /// refuses it. The future itself takes no longer than it takes to hand the payloads over, connecting again included, and
    /// bounds that. Dropping a confirmation does not take the write back.
    fn publish<'a>(&'a mut self, payloads: &'a [Arc<Payload>]) -> BoxFuture<'a, Vec<Confirmation>>;

    /// The completion point of modes without confirmations: a connection flush, a channel round trip. It is called once
    /// after each write, when its confirmations have come; what they called delivered counts as delivered when it ends well.
    ///
    /// # Errors
    /// The failure that leaves unresolved what was written since the last flush.
    fn flush(&mut self) -> BoxFuture<'_, Result<(), Failure>>;

    /// Waits until the client holds nothing that it took and did not send yet: a graceful drain, also while confirmations are
    /// out, and the end of any run in a mode without them.
    ///
    /// # Errors
    /// What is still there, and why; no failure while confirmations are out, beside which more is sent. It is asked again:
    /// by a drain after its backoff, within its bound; by the end of a run after a moment, for a few seconds, and with it
    /// goes what is left.
    fn drain(&mut self) -> BoxFuture<'_, Result<(), Unsent>> {
        Box::pin(std::future::ready(Ok(())))
    }
}
