//! The transient error of DESCRIBE EMITTER: which payloads are pending after a failed attempt, and why.
//!
//! Invariant: there is a transient error exactly while a payload whose last attempt failed, and did not only come back from
//! a consumer that left, is neither delivered nor rejected, or something that belongs to no payload stands (opening the sink, room on this node, the end of a drain); it
//! tells of the latest failure. The state is reported when trouble begins, changes its kind, or ends, not
//! at each attempt (X14).

use std::time::Duration;

use ahash::AHashSet;
use nervix_clock::PhysicalInstant;
use nervix_sink::{BoundedText, Failure, FailureKind, PayloadId};

use crate::status::TransientError;

/// Payloads in trouble.
#[derive(Debug, Default)]
pub(crate) struct Trouble {
    payloads: AHashSet<PayloadId>,
    /// Something that belongs to no payload.
    stands: bool,
    latest: Option<Latest>,
    told: Option<FailureKind>,
}

#[derive(Debug, Clone)]
struct Latest {
    kind: FailureKind,
    message: BoundedText,
    backoff: Duration,
    due: PhysicalInstant,
}

/// A change that is worth a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Change {
    /// Trouble of this kind began.
    Began(FailureKind, BoundedText),
    /// No payload is in trouble any more.
    Over,
}

impl Trouble {
    pub(crate) fn failed(
        &mut self,
        id: PayloadId,
        failure: &Failure,
        backoff: Duration,
        due: PhysicalInstant,
    ) {
        // A peer that ended its stream in order has left no trouble behind, and ends what the attempt before it left.
        if failure.kind == FailureKind::PeerLeft {
            return self.resolved(id);
        }
        self.payloads.insert(id);
        self.tell(failure, backoff, due);
    }

    /// Something failed that belongs to no payload.
    pub(crate) fn stands(&mut self, failure: &Failure, backoff: Duration, due: PhysicalInstant) {
        self.stands = true;
        self.tell(failure, backoff, due);
    }

    /// What belongs to no payload is over.
    pub(crate) fn lifted(&mut self) {
        self.stands = false;
        self.settle();
    }

    pub(crate) fn resolved(&mut self, id: PayloadId) {
        if self.payloads.remove(&id) {
            self.settle();
        }
    }

    fn tell(&mut self, failure: &Failure, backoff: Duration, due: PhysicalInstant) {
        self.latest = Some(Latest {
            kind: failure.kind,
            message: failure.message.clone(),
            backoff,
            due,
        });
    }

    fn settle(&mut self) {
        if self.payloads.is_empty() && !self.stands {
            self.latest = None;
        }
    }

    /// What changed since it was asked last.
    pub(crate) fn take_change(&mut self) -> Option<Change> {
        let kind = self.latest.as_ref().map(|latest| latest.kind);
        if kind == self.told {
            return None;
        }
        self.told = kind;
        Some(match &self.latest {
            Some(latest) => Change::Began(latest.kind, latest.message.clone()),
            None => Change::Over,
        })
    }

    pub(crate) fn transient(&self, now: PhysicalInstant) -> Option<TransientError> {
        self.latest.as_ref().map(|latest| TransientError {
            kind: latest.kind,
            message: latest.message.clone(),
            backoff: latest.backoff,
            wait: latest.due.since(now),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use nervix_clock::ManualClock;
    use nervix_sink::{Failure, FailureKind, PayloadId};

    use super::{Change, Trouble};

    #[test]
    fn trouble_is_told_when_it_begins_changes_and_ends() {
        let now = ManualClock::new().physical().now();
        let mut trouble = Trouble::default();
        let lost = Failure::new(FailureKind::PeerLost, "gone");
        let second = Duration::from_secs(1);
        trouble.failed(PayloadId(1), &lost, second, now.after(second));
        trouble.failed(PayloadId(2), &lost, second, now.after(second));
        assert_eq!(
            trouble.take_change(),
            Some(Change::Began(FailureKind::PeerLost, "gone".into()))
        );
        assert_eq!(trouble.take_change(), None, "not at each attempt");
        assert_eq!(
            trouble.transient(now).map(|transient| transient.wait),
            Some(second)
        );
        trouble.resolved(PayloadId(1));
        assert_eq!(trouble.take_change(), None);
        trouble.resolved(PayloadId(2));
        assert_eq!(trouble.take_change(), Some(Change::Over));
        assert!(trouble.transient(now).is_none());
    }

    #[test]
    fn a_peer_that_left_in_order_is_no_trouble() {
        let now = ManualClock::new().physical().now();
        let mut trouble = Trouble::default();
        let second = Duration::from_secs(1);
        let fails = |trouble: &mut Trouble, kind| {
            let failure = Failure::new(kind, "so it was");
            trouble.failed(PayloadId(1), &failure, second, now.after(second));
        };
        fails(&mut trouble, FailureKind::PeerLeft);
        assert!(trouble.transient(now).is_none() && trouble.take_change().is_none());
        fails(&mut trouble, FailureKind::TimedOut);
        assert!(trouble.transient(now).is_some());
        fails(&mut trouble, FailureKind::PeerLeft);
        assert!(
            trouble.transient(now).is_none(),
            "the last attempt ended in order"
        );
    }
}
