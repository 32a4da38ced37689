//! The session shape: deliveries to applications that answer for them.
//!
//! The emitter offers payloads; the session assigns each to a consumer when one has credit, and answers once for each
//! offer. The emitter alone decides when a payload is offered again. Rules that a session keeps:
//! payloads of one lane are assigned in the order of their sequence; after an unresolved answer nothing newer of its
//! lane is assigned until that payload is offered again.

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;

use crate::outcome::Outcome;
use crate::payload::{Payload, PayloadId};

/// One attempt of one payload.
#[derive(Debug, Clone)]
pub struct Offer {
    /// What is offered; the same bytes at every attempt.
    pub payload: Arc<Payload>,
    /// Counts from 1.
    pub attempt: u32,
}

/// What became of one offer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionAnswer {
    /// The payload that was offered.
    pub payload: PayloadId,
    /// What the application, or the end of its lease, said.
    pub outcome: Outcome,
}

/// Why a session takes back what consumers hold (`flight.md`, Consuming).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RevokeReason {
    /// The domain stopped; consumers' streams stay.
    Stopped,
    /// The emitter was replaced while its output schema stays.
    Changed,
}

/// The sink of one emitter whose consumers are applications.
pub trait SessionSink: Send {
    /// Offers one attempt. At most one attempt of a payload is open at a time.
    fn offer(&mut self, offer: Offer);

    /// The next answer; cancel-safe: a future dropped before it is ready takes nothing with it.
    fn next_answer(&mut self) -> BoxFuture<'_, SessionAnswer>;

    /// An answer that is there already.
    fn take_answer(&mut self) -> Option<SessionAnswer>;

    /// Takes back everything that is offered or assigned; no answer follows for any of it.
    fn close(&mut self, reason: RevokeReason);

    /// Reads the session's status from outside the emitter's task.
    fn watch(&self) -> Arc<dyn SessionWatch>;
}

/// Reads the status of a session.
pub trait SessionWatch: Send + Sync {
    /// The status now.
    fn status(&self) -> SessionStatus;
}

/// What DESCRIBE EMITTER reports of a session (`emitters.txt`, Client emitters; companion section 15).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionStatus {
    /// Consumers whose streams are open, forwarded ones included.
    pub active_consumers: u64,
    /// Consumers that another node forwards.
    pub forwarded_consumers: u64,
    /// Credit in batches that all consumers have left.
    pub granted_credit: u64,
    /// Credit in batches that the forwarded consumers have left.
    pub forwarded_credit: u64,
    /// Consumers that wait for their own next message after an expired delivery.
    pub suspended_consumers: u64,
    /// Offered payloads that no consumer holds.
    pub unassigned_batches: u64,
    /// Assigned deliveries that await the application.
    pub assigned_batches: u64,
    /// Their bytes.
    pub assigned_bytes: u64,
    /// The part of the assigned deliveries that forwarded consumers hold.
    pub forwarded_batches: u64,
    /// Their bytes.
    pub forwarded_bytes: u64,
    /// How long the oldest assigned delivery has been with its consumer.
    pub oldest_assigned: Option<Duration>,
    /// Deliveries confirmed by applications, since the node started.
    pub acks: u64,
    /// Deliveries rejected by applications, since the node started.
    pub rejections: u64,
    /// Deliveries that applications asked to have again, since the node started.
    pub retries_asked: u64,
    /// Deliveries whose ACK TIMEOUT passed, since the node started.
    pub timeouts: u64,
    /// Deliveries taken back because their consumer went, since the node started.
    pub lost: u64,
    /// Answers to refs that were not live, since the node started.
    pub stale: u64,
}
