//! The payload shape: brokers, sockets, telemetry.

use std::sync::Arc;

use futures::future::BoxFuture;

use crate::outcome::{Failure, Outcome};
use crate::payload::Payload;

/// Resolves once, with what the destination said about one payload.
pub type Confirmation = BoxFuture<'static, Outcome>;

/// Publishes encoded payloads.
pub trait PayloadSink: Send {
    /// Starts the writes in the order given; one confirmation for each payload, in the same order. Dropping a
    /// confirmation does not take the write back.
    fn publish<'a>(&'a mut self, payloads: &'a [Arc<Payload>]) -> BoxFuture<'a, Vec<Confirmation>>;

    /// The completion point of modes without confirmations: a connection flush, a channel round trip.
    ///
    /// # Errors
    /// The failure that leaves what was written since the last flush unresolved.
    fn flush(&mut self) -> BoxFuture<'_, Result<(), Failure>>;
}
