//! What DESCRIBE EMITTER reports of a running emitter (`emitters.txt`, Client emitters and HTTP inspection; companion
//! section 15).

use std::sync::Arc;
use std::time::Duration;

use nervix_sink::{BoundedText, FailureKind, SessionStatus};

use crate::counters::CounterSnapshot;

mod lines;

/// The live status of one emitter on the node that executes it.
#[derive(Debug, Clone, PartialEq)]
pub struct EmitterStatus {
    /// What the task does.
    pub state: EmitterState,
    /// How long it has been finishing what it holds; none when it is not asked to.
    pub draining: Option<Duration>,
    /// Why payloads wait to be sent again; none when no payload is pending after a failed attempt.
    pub transient_error: Option<TransientError>,
    /// What the emitter holds.
    pub pending: PendingStatus,
    /// What waits for materialized states.
    pub waiting: Vec<WaitingStatus>,
    /// The consumers, for a session sink.
    pub session: Option<SessionStatus>,
    /// Counters of the node, over all runs.
    pub counters: CounterSnapshot,
    /// Rates of this run over the last seconds.
    pub rates: RateStatus,
}

/// What an emitter's task does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EmitterState {
    /// It delivers.
    Running,
    /// It is finishing what it holds (ENTITY_PAUSE, DROP, shutdown).
    Draining,
    /// The destination takes nothing; the emitter retries.
    Unavailable,
    /// Its task has ended.
    Stopped,
}

impl EmitterState {
    /// The word in DESCRIBE EMITTER.
    pub fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Draining => "paused",
            Self::Unavailable => "unavailable",
            Self::Stopped => "stopped",
        }
    }
}

/// The last failure that left a payload pending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransientError {
    /// What sort of trouble.
    pub kind: FailureKind,
    /// One sentence without values of records.
    pub message: BoundedText,
    /// How long the retry waits, or waited.
    pub backoff: Duration,
    /// How much of it is left; zero when the payload is out again.
    pub wait: Duration,
}

/// What an emitter holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PendingStatus {
    /// Source records that are neither delivered nor dealt with.
    pub messages: u64,
    /// Bytes that count against the read-ahead bound.
    pub buffered_bytes: u64,
    /// Payloads whose outcome is not known: offered, assigned, or waiting for their backoff.
    pub retained_batches: u64,
    /// Their encoded bytes.
    pub retained_bytes: u64,
    /// The part of the retained payloads that waits for its backoff.
    pub awaiting_retry: u64,
    /// Source relays and concrete branches with work.
    pub lanes: u64,
}

/// Records that REQUIRED WAIT keeps until a state comes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingStatus {
    /// The relay whose state is not there.
    pub relay: Arc<str>,
    /// Source records that wait, also those behind them in their branch.
    pub records: u64,
    /// Source relays and concrete branches that wait.
    pub branches: u64,
}

/// Per second, over the last seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RateStatus {
    /// Source records received.
    pub received: f64,
    /// Source records delivered.
    pub sent: f64,
    /// Logical bytes delivered.
    pub sent_bytes: f64,
}
