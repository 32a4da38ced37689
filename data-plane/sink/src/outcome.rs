//! What a destination said about one unit of work.
//!
//! Invariant: an [`Outcome`] is one of three. An unknown is never turned into a success or into a rejection: whatever
//! the sink is not sure of is [`Outcome::Unresolved`], which keeps the work and sends it again.

use std::time::Duration;

use crate::text::BoundedText;

/// What a destination said about one unit of work (design: the sink contract; `emitters.txt`, Publishing modes).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The completion point of the MODE is reached. A note is logged and changes nothing (OTEL's partial success).
    Delivered(Option<Note>),
    /// Definitive: the members follow ON MESSAGE ERROR and are never sent again.
    Rejected(Rejection),
    /// Unknown, or the whole destination's trouble: the work is kept and sent again, byte for byte.
    Unresolved(Failure),
}

impl Outcome {
    /// Delivered, without a note.
    pub const DELIVERED: Self = Self::Delivered(None);
}

/// What a destination remarked about work that it took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note(pub BoundedText);

/// Why a destination refuses a unit of work for good: `error.message` of its members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// Names sizes, limits and statuses; quotes nothing of the records.
    pub message: BoundedText,
}

impl Rejection {
    /// A rejection with this message.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: BoundedText::new(message),
        }
    }
}

/// Why the outcome of a unit of work is not known, or why the destination takes nothing now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What sort of trouble it is.
    pub kind: FailureKind,
    /// The transient error of DESCRIBE EMITTER.
    pub message: BoundedText,
    /// What the destination asked for: extends one delay of the retry policy, even beyond its MAX.
    pub retry_after: Option<Duration>,
}

impl Failure {
    /// A failure for which the destination asked no delay.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: BoundedText::new(message),
            retry_after: None,
        }
    }
}

/// What a client holds that it took and did not send yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsent {
    /// How many payloads; 0 where that is not known.
    pub payloads: u64,
    /// Why they are still there.
    pub failure: Failure,
}

/// Sorts of trouble that are no record's fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FailureKind {
    /// The destination cannot be reached, or broke off.
    Unavailable,
    /// The destination refuses the credentials, or what they may do.
    Unauthorized,
    /// Something that an operator has to provision is missing.
    Missing,
    /// The destination asks for patience.
    Throttled,
    /// No answer within the time that was granted.
    TimedOut,
    /// The peer that held the work is gone.
    PeerLost,
    /// The peer that held the work ended its stream in order and gave the work back; nothing is wrong.
    PeerLeft,
    /// The peer that held the work asked to have it again.
    PeerAsked,
    /// This node has no room for the work now.
    NodeBusy,
    /// The destination refused the work together with other work, and not for its own sake. It is sent again at once: the sink
    /// sends less of it at a time, so that this ends.
    RefusedTogether,
}

impl FailureKind {
    /// The kind as a stable word for events and metrics.
    pub fn word(self) -> &'static str {
        match self {
            Self::Unavailable => "unavailable",
            Self::Unauthorized => "unauthorized",
            Self::Missing => "missing",
            Self::Throttled => "throttled",
            Self::TimedOut => "timed_out",
            Self::PeerLost => "consumer_lost",
            Self::PeerLeft => "consumer_left",
            Self::PeerAsked => "retry_asked",
            Self::NodeBusy => "node_busy",
            Self::RefusedTogether => "refused_together",
        }
    }
}
