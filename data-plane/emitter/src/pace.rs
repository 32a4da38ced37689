//! Pacing of a whole emitter (`emitters.txt`, Publishing modes and HTTP retries): an infrastructure failure is the
//! destination's, so it paces everything that goes there, and one failed attempt counts once however many payloads it had.
//!
//! Invariants: after a failure nothing is sent before BACKOFF, doubled with each further attempt up to MAX, has passed since
//! the attempt's last failure; what the destination asked for makes that wait longer, never shorter, and leaves the
//! sequence of backoffs as it is; only a flush that completes resets it. This machine knows no clock.

use std::time::Duration;

use nervix_clock::PhysicalInstant;
use nspl_model::RetryPolicy;

use crate::retry::Retry;

/// The pace of one emitter.
#[derive(Debug)]
pub(crate) struct Pace {
    policy: RetryPolicy,
    retry: Retry,
    /// While an attempt has failed and the next has not begun.
    wait: Option<Wait>,
}

/// The wait after a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wait {
    /// How long it takes.
    pub(crate) backoff: Duration,
    /// When it is over.
    pub(crate) due: PhysicalInstant,
    /// The part of the sequence, without what a destination asked for.
    own: Duration,
    /// Whether it was found to be over.
    over: bool,
}

impl Pace {
    pub(crate) fn new(policy: RetryPolicy) -> Self {
        Self {
            policy,
            retry: Retry::new(policy),
            wait: None,
        }
    }

    /// Something of the attempt failed at `now`; gives the wait before the next.
    pub(crate) fn failed(&mut self, now: PhysicalInstant, asked: Option<Duration>) -> Wait {
        let own = match self.wait {
            Some(wait) => wait.own,
            None => self.retry.after_failure(None),
        };
        let backoff = Retry::at_least(own, asked);
        let due = now.after(backoff);
        let wait = match self.wait {
            Some(wait) if wait.due > due => wait,
            _ => Wait {
                backoff,
                due,
                own,
                over: false,
            },
        };
        self.wait = Some(wait);
        wait
    }

    /// Whether nothing may be sent at `now`.
    pub(crate) fn holds(&mut self, now: PhysicalInstant) -> bool {
        let Some(wait) = &mut self.wait else {
            return false;
        };
        wait.over = wait.due <= now;
        !wait.over
    }

    /// The next attempt begins.
    pub(crate) fn begin(&mut self) {
        self.wait = None;
    }

    /// The wait is over at once: a force flush, or the begin of a drain.
    pub(crate) fn hurry(&mut self, now: PhysicalInstant) {
        if let Some(wait) = &mut self.wait {
            wait.due = wait.due.min(now);
        }
    }

    /// A flush has completed: the next failure waits BACKOFF.
    pub(crate) fn completed(&mut self) {
        self.retry = Retry::new(self.policy);
    }

    /// When the wait is over, until that was found to be.
    pub(crate) fn due(&self) -> Option<PhysicalInstant> {
        self.wait.filter(|wait| !wait.over).map(|wait| wait.due)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use nervix_clock::ManualClock;
    use nspl_model::RetryPolicy;

    use super::Pace;

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn pace() -> Pace {
        Pace::new(RetryPolicy {
            backoff: seconds(1),
            max: seconds(4),
        })
    }

    #[test]
    fn an_attempt_counts_once_and_the_next_waits_twice_as_long() {
        let now = ManualClock::new().physical().now();
        let mut pace = pace();
        assert!(!pace.holds(now));
        assert_eq!(pace.failed(now, None).due, now.after(seconds(1)));
        let later = now.after(Duration::from_millis(300));
        let wait = pace.failed(later, None);
        assert_eq!((wait.backoff, wait.due), (seconds(1), later.after(seconds(1))));
        assert!(pace.holds(now.after(seconds(1))));
        assert!(!pace.holds(wait.due));
        for backoff in [2, 4, 4] {
            pace.begin();
            assert_eq!(pace.failed(now, None).backoff, seconds(backoff));
        }
        pace.begin();
        pace.completed();
        assert_eq!(pace.failed(now, None).backoff, seconds(1));
    }

    #[test]
    fn what_the_destination_asks_for_extends_one_wait_beyond_max_and_changes_no_other() {
        let now = ManualClock::new().physical().now();
        let mut pace = pace();
        assert_eq!(pace.failed(now, Some(seconds(60))).backoff, seconds(60));
        assert_eq!(
            pace.failed(now, None).due,
            now.after(seconds(60)),
            "no failure shortens it"
        );
        pace.begin();
        assert_eq!(pace.failed(now, Some(Duration::ZERO)).backoff, seconds(2));
        pace.hurry(now);
        assert!(!pace.holds(now));
    }
}
