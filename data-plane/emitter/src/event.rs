//! Runtime events of an emitter: what an operator wants to know of, beside DESCRIBE.
//!
//! Invariant: an event quotes no value of a record and no secret. Events of one kind of trouble are reported when it
//! begins and when it is over, not at each attempt, and at most [`CHANGES_MAX`] in [`CHANGES_PERIOD`]; rejections at most once
//! in [`REJECTED_EVERY`] (X14).

use std::time::Duration;

use nervix_sink::BoundedText;

/// How often rejections of records are reported at most, all that happened since together.
pub const REJECTED_EVERY: Duration = Duration::from_secs(1);

/// How many changes of an emitter's trouble are reported in [`CHANGES_PERIOD`] at most. What it came to is reported at the end
/// of that, with the number of changes before it that were not.
pub const CHANGES_MAX: u32 = 4;

/// See [`CHANGES_MAX`].
pub const CHANGES_PERIOD: Duration = Duration::from_secs(10);

/// Takes the events of one emitter. Called from the emitter's task: it must not block.
pub trait EmitterEvents: Send + Sync {
    /// Something happened.
    fn report(&self, event: EmitterEvent);
}

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmitterEvent {
    /// What sort of event.
    pub kind: EmitterEventKind,
    /// One sentence.
    pub message: BoundedText,
}

/// Sorts of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EmitterEventKind {
    /// Payloads wait to be sent again: the destination is at fault.
    Unavailable,
    /// Deliveries wait to be made again: an application asked for them, or ACK TIMEOUT passed.
    Retrying,
    /// A consumer went with deliveries unanswered.
    ConsumerLost,
    /// Nothing waits to be sent again any more.
    Recovered,
    /// What a client without confirmations had taken went with it, unsent, at the end of a run.
    Lost,
    /// Records followed ON MESSAGE ERROR; the message tells how many and of the last why.
    Rejected,
}

impl EmitterEventKind {
    /// The stable word of the event.
    pub fn word(self) -> &'static str {
        match self {
            Self::Unavailable => "unavailable",
            Self::Retrying => "retrying",
            Self::ConsumerLost => "consumer_lost",
            Self::Recovered => "recovered",
            Self::Lost => "lost",
            Self::Rejected => "rejected",
        }
    }
}

/// Takes events nowhere.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoEvents;

impl EmitterEvents for NoEvents {
    fn report(&self, _event: EmitterEvent) {}
}
