//! The time boundary of a flush policy, on the clock that the policy names (companion.md section 11).

use nervix_clock::{DomainClock, DomainDeadline, PhysicalInstant};
use nervix_emitter::IMMEDIATE_WINDOW;
use nspl_model::Flush;

/// When something is due. Instants of one route are of one variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Due {
    /// FLUSH EACH: domain time.
    Domain(DomainDeadline),
    /// FLUSH IMMEDIATE: physical time.
    Physical(PhysicalInstant),
}

/// A flush policy with its clock.
#[derive(Clone, Debug)]
pub(crate) struct Timer {
    clock: DomainClock,
    flush: Flush,
}

impl Timer {
    pub(crate) fn new(clock: DomainClock, flush: Flush) -> Self {
        Self { clock, flush }
    }

    /// When a buffer is due whose first row comes now.
    pub(crate) fn due(&self) -> Due {
        match self.flush {
            Flush::Each { every, .. } => Due::Domain(self.clock.deadline_after(every)),
            Flush::Immediate => Due::Physical(self.clock.physical().now().after(IMMEDIATE_WINDOW)),
        }
    }

    /// The size boundary in logical bytes, where there is one.
    pub(crate) fn bytes_max(&self) -> Option<u64> {
        match self.flush {
            Flush::Each { max_bytes, .. } => Some(max_bytes),
            Flush::Immediate => None,
        }
    }

    /// Whether `due` has come.
    pub(crate) fn reached(&self, due: Due) -> bool {
        match due {
            Due::Domain(deadline) => self.clock.reached(deadline),
            Due::Physical(instant) => instant <= self.clock.physical().now(),
        }
    }

    /// Waits for `due`.
    pub(crate) async fn wait(&self, due: Due) {
        match due {
            Due::Domain(deadline) => self.clock.sleep_until(deadline).await,
            Due::Physical(instant) => self.clock.physical().sleep_until(instant).await,
        }
    }
}
