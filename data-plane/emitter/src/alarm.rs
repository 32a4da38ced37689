//! When an emitter has something to do next, on either of its clocks: FLUSH EACH and COLLECT FOR are domain time, FLUSH
//! IMMEDIATE and retries physical time.

use nervix_clock::{DomainClock, DomainDeadline, PhysicalInstant};
use nervix_flush::Due;

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
