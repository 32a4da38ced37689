//! What failed attempts do to an emitter whose destination is outside: they pace everything that goes there, and the
//! trouble is told until it is over.
//!
//! Invariant: what is paced is told, and what is told is paced. A wait is logged when it begins, not at each failure in it. What
//! was refused only together with other work is neither: the destination answers, and less of it goes at a time.

use std::sync::Arc;

use nervix_clock::PhysicalInstant;
use nervix_sink::{Failure, FailureKind, PayloadId};

use crate::pace::{Pace, Wait};
use crate::plan::Plan;
use crate::publish::trouble::Trouble;

/// The pace and the trouble of one emitter.
pub(crate) struct Setbacks {
    plan: Arc<Plan>,
    pub(crate) pace: Pace,
    pub(crate) trouble: Trouble,
}

impl Setbacks {
    pub(crate) fn new(plan: Arc<Plan>) -> Self {
        Self {
            pace: Pace::new(plan.retry),
            trouble: Trouble::default(),
            plan,
        }
    }

    /// The last attempt of a unit of work failed.
    pub(crate) fn failed(&mut self, id: PayloadId, failure: &Failure, now: PhysicalInstant) {
        if failure.kind == FailureKind::RefusedTogether {
            return self.trouble.resolved(id);
        }
        let wait = self.wait(failure, now);
        self.trouble.failed(id, failure, wait.backoff, wait.due);
    }

    /// Something failed that belongs to no unit of work.
    pub(crate) fn stands(&mut self, failure: &Failure, now: PhysicalInstant) {
        let wait = self.wait(failure, now);
        self.trouble.stands(failure, wait.backoff, wait.due);
    }

    fn wait(&mut self, failure: &Failure, now: PhysicalInstant) -> Wait {
        let begins = !self.pace.holds(now);
        let wait = self.pace.failed(now, failure.retry_after);
        if begins {
            let Plan { domain, emitter, .. } = &*self.plan;
            let (kind, backoff_ms) = (failure.kind.word(), wait.backoff.as_millis());
            tracing::debug!(%domain, %emitter, kind, backoff_ms, "an attempt failed; the next follows after its backoff");
        }
        wait
    }
}
