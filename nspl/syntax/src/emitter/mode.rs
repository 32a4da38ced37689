//! `MODE ... [ACK TIMEOUT d] RETRY POLICY BACKOFF d MAX d` (emitters.txt "Publishing modes", companion section 7).
//!
//! One grammar for every sink; which forms a sink has, and which need ACK TIMEOUT, are rules of the checker over
//! the sink's capabilities.

use crate::quantity::{Duration, Whole};
use crate::span::Span;

/// The MODE of an emitter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mode {
    /// When a record counts as published.
    pub confirmation: Confirmation,
    /// The bound on one confirmation.
    pub ack_timeout: Option<Duration>,
    /// The pace of retries.
    pub retry: Retry,
    /// Where the clause stands.
    pub span: Span,
}

/// The forms before ACK TIMEOUT and RETRY POLICY.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Confirmation {
    /// `NO_ACK`
    NoAck,
    /// `ACK`, or `ACK SEQUENTIAL`, or `ACK PARALLEL MAX n`
    Ack(Option<Window>),
    /// `QOS 0`, or `QOS 1 ACK ...`, or `QOS 2 ACK ...`
    Qos {
        /// The level as written.
        level: Whole,
        /// The window behind ACK; none without ACK.
        window: Option<Window>,
    },
    /// `JETSTREAM ACK ...`
    JetStream(Window),
    /// `SINGLE`
    Single,
    /// `BATCH`
    Batch,
}

/// How many records may await confirmation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Window {
    /// `SEQUENTIAL`: one.
    Sequential,
    /// `PARALLEL MAX n`
    Parallel {
        /// The most that wait.
        max: Whole,
    },
}

/// `RETRY POLICY BACKOFF d MAX d`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Retry {
    /// The first delay.
    pub backoff: Duration,
    /// The longest delay.
    pub max: Duration,
    /// Where the clause stands.
    pub span: Span,
}
