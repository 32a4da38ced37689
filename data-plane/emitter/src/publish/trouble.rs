//! The transient error of DESCRIBE EMITTER: which payloads are pending after a failed attempt, and why.
//!
//! Invariant: there is a transient error exactly while a payload whose last attempt failed, and neither came back from a consumer
//! that left nor was refused only together with others, is neither delivered nor rejected, or something that belongs to no
//! payload stands (opening the sink, room on this node, the end of a drain); it tells of the latest failure. The state is reported when trouble begins, changes its kind, or ends, not
//! at each attempt, and within a bound where it changes all the time (X14).

use std::time::Duration;

use ahash::AHashSet;
use nervix_clock::{Allowance, PhysicalInstant};
use nervix_sink::{BoundedText, Failure, FailureKind, PayloadId};

use crate::event::{CHANGES_MAX, CHANGES_PERIOD};
use crate::status::TransientError;

/// Payloads in trouble.
#[derive(Debug)]
pub(crate) struct Trouble {
    payloads: AHashSet<PayloadId>,
    /// Something that belongs to no payload.
    stands: bool,
    latest: Option<Latest>,
    seen: Option<FailureKind>,
    allowance: Allowance,
}

impl Default for Trouble {
    fn default() -> Self {
        Self {
            payloads: AHashSet::new(),
            stands: false,
            latest: None,
            seen: None,
            allowance: Allowance::new(CHANGES_MAX, CHANGES_PERIOD),
        }
    }
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

    /// What is to be told now: what it changed to, and how many changes before that were not told.
    pub(crate) fn take_change(&mut self, now: PhysicalInstant) -> Option<(Change, u64)> {
        let kind = self.latest.as_ref().map(|latest| latest.kind);
        let changes = kind != self.seen;
        self.seen = kind;
        let is_due = self.changes_due().is_some_and(|due| due <= now);
        if !changes && !is_due {
            return None;
        }
        let untold = self.allowance.take(now, 1)?;
        let change = match &self.latest {
            Some(latest) => Change::Began(latest.kind, latest.message.clone()),
            None => Change::Over,
        };
        // Of those that were not told the last is this one, unless it has just come.
        Some((change, if changes { untold } else { untold.saturating_sub(1) }))
    }

    /// When [`Trouble::take_change`] has something to give, if nothing changes.
    pub(crate) fn changes_due(&self) -> Option<PhysicalInstant> {
        self.allowance.due()
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

    use super::{CHANGES_MAX, CHANGES_PERIOD, Change, Trouble};

    #[test]
    fn trouble_is_told_when_it_begins_changes_and_ends() {
        let now = ManualClock::new().physical().now();
        let mut trouble = Trouble::default();
        let lost = Failure::new(FailureKind::PeerLost, "gone");
        let second = Duration::from_secs(1);
        trouble.failed(PayloadId(1), &lost, second, now.after(second));
        trouble.failed(PayloadId(2), &lost, second, now.after(second));
        assert_eq!(
            trouble.take_change(now),
            Some((Change::Began(FailureKind::PeerLost, "gone".into()), 0))
        );
        assert_eq!(trouble.take_change(now), None, "not at each attempt");
        assert_eq!(
            trouble.transient(now).map(|transient| transient.wait),
            Some(second)
        );
        trouble.resolved(PayloadId(1));
        assert_eq!(trouble.take_change(now), None);
        trouble.resolved(PayloadId(2));
        assert_eq!(trouble.take_change(now), Some((Change::Over, 0)));
        assert!(trouble.transient(now).is_none());
    }

    #[test]
    fn of_trouble_that_comes_and_goes_what_it_came_to_is_told_and_the_rest_is_counted() {
        let now = ManualClock::new().physical().now();
        let mut trouble = Trouble::default();
        let failure = Failure::new(FailureKind::Unavailable, "away");
        let changes = |trouble: &mut Trouble| {
            trouble.failed(PayloadId(1), &failure, CHANGES_PERIOD, now);
            let began = trouble.take_change(now);
            trouble.resolved(PayloadId(1));
            [began, trouble.take_change(now)]
        };
        for _ in 0..CHANGES_MAX / 2 {
            assert!(changes(&mut trouble).iter().all(Option::is_some));
        }
        assert_eq!(trouble.changes_due(), None);
        for _ in 0..10 {
            assert_eq!(changes(&mut trouble), [None, None]);
        }
        let end = now.after(CHANGES_PERIOD);
        assert_eq!(trouble.changes_due(), Some(end));
        assert_eq!(trouble.take_change(end), Some((Change::Over, 19)));
        assert_eq!((trouble.take_change(end), trouble.changes_due()), (None, None));
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
        assert!(trouble.transient(now).is_none() && trouble.take_change(now).is_none());
        fails(&mut trouble, FailureKind::TimedOut);
        assert!(trouble.transient(now).is_some());
        fails(&mut trouble, FailureKind::PeerLeft);
        assert!(
            trouble.transient(now).is_none(),
            "the last attempt ended in order"
        );
    }
}
