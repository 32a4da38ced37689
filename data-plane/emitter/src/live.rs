//! What a running emitter shows of itself, refreshed at each step of its task.

use nervix_clock::PhysicalInstant;
use nervix_sink::{FailureKind, SessionStatus};

use crate::counters::CounterSnapshot;
use crate::pipeline::Moved;
use crate::rate::Rate;
use crate::status::{EmitterState, EmitterStatus, PendingStatus, RateStatus, TransientError, WaitingStatus};

/// The shared part of a run.
#[derive(Debug)]
pub(crate) struct Live {
    started: PhysicalInstant,
    /// Since when it finishes what it holds.
    pub(crate) draining: Option<PhysicalInstant>,
    pub(crate) ended: bool,
    pub(crate) pending: PendingStatus,
    pub(crate) waiting: Vec<WaitingStatus>,
    /// With the instant at which its wait was measured.
    pub(crate) transient: Option<(TransientError, PhysicalInstant)>,
    received: Rate,
    sent: Rate,
    sent_bytes: Rate,
}

impl Live {
    pub(crate) fn new(started: PhysicalInstant) -> Self {
        Self {
            started,
            draining: None,
            ended: false,
            pending: PendingStatus::default(),
            waiting: Vec::new(),
            transient: None,
            received: Rate::default(),
            sent: Rate::default(),
            sent_bytes: Rate::default(),
        }
    }

    pub(crate) fn moved(&mut self, moved: Moved, now: PhysicalInstant) {
        let at = now.since(self.started);
        self.received.add(moved.received, at);
        self.sent.add(moved.sent, at);
        self.sent_bytes.add(moved.sent_bytes, at);
    }

    pub(crate) fn status(
        &self,
        now: PhysicalInstant,
        session: Option<SessionStatus>,
        counters: CounterSnapshot,
    ) -> EmitterStatus {
        let at = now.since(self.started);
        let transient_error = self
            .transient
            .clone()
            .map(|(transient, measured)| TransientError {
                wait: transient.wait.saturating_sub(now.since(measured)),
                ..transient
            });
        let rates = RateStatus {
            received: self.received.per_second(at),
            sent: self.sent.per_second(at),
            sent_bytes: self.sent_bytes.per_second(at),
        };
        EmitterStatus {
            state: self.state(),
            draining: self.draining.map(|since| now.since(since)),
            transient_error,
            pending: self.pending,
            waiting: self.waiting.clone(),
            session,
            counters,
            rates,
        }
    }

    fn state(&self) -> EmitterState {
        match &self.transient {
            _ if self.ended => EmitterState::Stopped,
            _ if self.draining.is_some() => EmitterState::Draining,
            Some((transient, _)) if takes_nothing(transient.kind) => EmitterState::Unavailable,
            _ => EmitterState::Running,
        }
    }
}

/// Whether a failure of this kind concerns the whole destination.
fn takes_nothing(kind: FailureKind) -> bool {
    match kind {
        FailureKind::Unavailable
        | FailureKind::Unauthorized
        | FailureKind::Missing
        | FailureKind::Throttled => true,
        FailureKind::TimedOut
        | FailureKind::PeerLost
        | FailureKind::PeerLeft
        | FailureKind::PeerAsked
        | FailureKind::NodeBusy
        | FailureKind::RefusedTogether => false,
    }
}
