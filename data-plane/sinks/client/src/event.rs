//! What an application is told on its stream.

use std::sync::Arc;
use std::time::Duration;

use nervix_sink::Payload;

/// One message of the server to one consumer, in order.
#[derive(Debug, Clone)]
pub enum SessionEvent {
    /// An attempt to deliver a batch.
    Deliver(Delivery),
    /// What the server made of an ack, retry or reject.
    Outcome {
        /// The ref that was answered, as the application wrote it.
        reference: String,
        /// The result.
        result: AnswerResult,
    },
    /// The server takes a delivery back; a later answer to its ref is stale.
    Revoked {
        /// The ref of the delivery.
        reference: String,
        /// Why.
        reason: RevokedReason,
    },
    /// The last event of a stream.
    End(EndReason),
}

/// One attempt of one batch, assigned to this consumer.
#[derive(Debug, Clone)]
pub struct Delivery {
    /// Names this attempt; at most 64 ASCII characters.
    pub reference: String,
    /// Names the batch over all attempts; at most 64 ASCII characters.
    pub batch: String,
    /// Counts from 1.
    pub attempt: u32,
    /// Name of the source relay.
    pub source: Arc<str>,
    /// Opaque branch fingerprint; empty for unbranched rows.
    pub branch: Arc<str>,
    /// Rows of the batch.
    pub rows: u32,
    /// How long the application has, counted from the assignment.
    pub ack_timeout: Duration,
    /// The bytes: `head` and `body` are header and body of the Arrow IPC message.
    pub payload: Arc<Payload>,
}

/// What became of an answer (`flight.md`, Consuming).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AnswerResult {
    /// The batch is delivered.
    Confirmed,
    /// The batch will be delivered again.
    Retrying,
    /// The batch follows ON MESSAGE ERROR.
    Rejected,
    /// The ref is not live, or was answered differently before.
    Stale,
}

/// Why a delivery was taken back while the stream goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RevokedReason {
    /// ACK TIMEOUT passed since the assignment; the consumer is suspended until its next message.
    Timeout,
    /// The domain stopped.
    Stopped,
    /// The emitter was replaced; its output schema stays.
    Changed,
}

/// Why a stream ends (`flight.md`, Ends and limits).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EndReason {
    /// The application closed its side, and everything it said has been answered: the stream ends OK.
    HalfClosed,
    /// The emitter was dropped: NOT_FOUND.
    Dropped,
    /// Another node executes the emitter now: UNAVAILABLE, with the place to go.
    Moved {
        /// Where the emitter is, as host:port; empty when unknown.
        location: Arc<str>,
    },
    /// This process shuts down: UNAVAILABLE.
    Draining,
    /// The output schema differs now: FAILED_PRECONDITION.
    Changed,
}
