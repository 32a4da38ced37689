//! The two clocks of an emitter: FLUSH EACH and COLLECT FOR are domain time, FLUSH IMMEDIATE and retries physical time.
//!
//! Invariant: a boundary is judged by the clock that it was made on.

use nervix_clock::{DomainClock, DomainDeadline, PhysicalInstant};
use nspl_model::Flush;

use crate::flush::IMMEDIATE_WINDOW;

/// A boundary on one of the two clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Due {
    Domain(DomainDeadline),
    Physical(PhysicalInstant),
}

/// The FLUSH policy with its clock.
#[derive(Debug, Clone)]
pub(crate) struct FlushPolicy {
    clock: DomainClock,
    flush: Flush,
}

impl FlushPolicy {
    pub(crate) fn new(clock: DomainClock, flush: Flush) -> Self {
        Self { clock, flush }
    }

    /// Installs another policy.
    pub(crate) fn install(&mut self, flush: Flush) {
        self.flush = flush;
    }

    /// The time boundary of a buffer whose first row arrives now.
    pub(crate) fn due(&self) -> Due {
        match self.flush {
            Flush::Each { every, .. } => Due::Domain(self.clock.deadline_after(every)),
            Flush::Immediate => Due::Physical(self.clock.physical().now().after(IMMEDIATE_WINDOW)),
        }
    }

    /// The size boundary in logical bytes.
    pub(crate) fn bytes_max(&self) -> Option<u64> {
        match self.flush {
            Flush::Each { max_bytes, .. } => Some(max_bytes),
            Flush::Immediate => None,
        }
    }

    pub(crate) fn passed(&self, due: Due) -> bool {
        match due {
            Due::Domain(deadline) => self.clock.reached(deadline),
            Due::Physical(instant) => instant <= self.clock.physical().now(),
        }
    }
}

/// When something is due next, on either clock.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Alarm {
    domain: Option<DomainDeadline>,
    physical: Option<PhysicalInstant>,
}

impl Alarm {
    pub(crate) fn domain(&mut self, deadline: Option<DomainDeadline>) {
        self.domain = earlier(self.domain, deadline);
    }

    pub(crate) fn physical(&mut self, instant: Option<PhysicalInstant>) {
        self.physical = earlier(self.physical, instant);
    }

    pub(crate) fn due(&mut self, due: Option<Due>) {
        match due {
            Some(Due::Domain(deadline)) => self.domain(Some(deadline)),
            Some(Due::Physical(instant)) => self.physical(Some(instant)),
            None => {}
        }
    }

    /// Ends at whichever comes first; never when nothing is due.
    pub(crate) async fn ring(self, clock: &DomainClock) {
        match (self.domain, self.physical) {
            (None, None) => std::future::pending().await,
            (Some(deadline), None) => clock.sleep_until(deadline).await,
            (None, Some(instant)) => clock.physical().sleep_until(instant).await,
            (Some(deadline), Some(instant)) => tokio::select! {
                () = clock.sleep_until(deadline) => {}
                () = clock.physical().sleep_until(instant) => {}
            },
        }
    }
}

fn earlier<I: Ord>(one: Option<I>, other: Option<I>) -> Option<I> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}
