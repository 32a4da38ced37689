//! A flush policy on the clock that it names: FLUSH EACH is domain time, FLUSH IMMEDIATE physical time.
//!
//! Invariant: a boundary is judged by the clock that it was made on.

use std::time::Duration;

use nervix_clock::{DomainClock, DomainDeadline, PhysicalInstant};
use nspl_model::Flush;

/// How long FLUSH IMMEDIATE gathers from the first row, physical time.
pub const IMMEDIATE_WINDOW: Duration = Duration::from_micros(100);

/// A boundary on one of the two clocks. Those of one policy are of one variant until another one is installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Due {
    /// FLUSH EACH: domain time.
    Domain(DomainDeadline),
    /// FLUSH IMMEDIATE: physical time.
    Physical(PhysicalInstant),
}

/// A FLUSH clause with its clock.
#[derive(Clone, Debug)]
pub struct FlushPolicy {
    clock: DomainClock,
    flush: Flush,
}

impl FlushPolicy {
    /// The clause on the clock of its domain.
    pub fn new(clock: DomainClock, flush: Flush) -> Self {
        Self { clock, flush }
    }

    /// Installs another clause.
    pub fn install(&mut self, flush: Flush) {
        self.flush = flush;
    }

    /// The time boundary of a buffer whose first row comes now.
    pub fn due(&self) -> Due {
        match self.flush {
            Flush::Each { every, .. } => Due::Domain(self.clock.deadline_after(every)),
            Flush::Immediate => Due::Physical(self.clock.physical().now().after(IMMEDIATE_WINDOW)),
        }
    }

    /// The size boundary in logical bytes, where there is one.
    pub fn bytes_max(&self) -> Option<u64> {
        match self.flush {
            Flush::Each { max_bytes, .. } => Some(max_bytes),
            Flush::Immediate => None,
        }
    }

    /// Whether `due` has passed.
    pub fn passed(&self, due: Due) -> bool {
        match due {
            Due::Domain(deadline) => self.clock.reached(deadline),
            Due::Physical(instant) => instant <= self.clock.physical().now(),
        }
    }

    /// Waits for `due`.
    pub async fn wait(&self, due: Due) {
        match due {
            Due::Domain(deadline) => self.clock.sleep_until(deadline).await,
            Due::Physical(instant) => self.clock.physical().sleep_until(instant).await,
        }
    }
}
