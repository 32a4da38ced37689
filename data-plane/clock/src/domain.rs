//! The clock of a domain (companion.md section 10).
//!
//! Unpaced: domain time is the wall clock, held where the wall clock steps back, and durations run on the
//! monotonic clock. Paced: domain time runs from the START instant at TIME RATE, and so do durations.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use crate::instant::{DomainDeadline, DomainTime, PhysicalInstant, UtcTime};
use crate::physical::PhysicalClock;
use crate::sleep::Sleep;
use crate::snapshot::Snapshot;

/// How many seconds of domain time one physical second is: a positive, finite number.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct TimeRate(f64);

impl TimeRate {
    /// Domain time at the pace of physical time.
    pub const ONE: Self = Self(1.0);

    /// Nothing where `rate` is not a positive, finite number.
    pub fn new(rate: f64) -> Option<Self> {
        (rate.is_finite() && rate > 0.0).then_some(Self(rate))
    }
}

/// Reads and sleeps on the time of one domain. Cheap to clone; clones share what "never back" holds to.
///
/// Keep one for as long as the process serves the domain's run: a paced clock that is made anew starts its own
/// promise.
#[derive(Clone)]
pub struct DomainClock {
    physical: PhysicalClock,
    pace: Option<Arc<Pace>>,
}

/// The straight line that paced domain time follows.
struct Pace {
    start: DomainTime,
    /// The physical instant of `start`, and how much of the run had passed before that could be named.
    anchor: PhysicalInstant,
    elapsed_at_anchor: Duration,
    rate: TimeRate,
    latest: AtomicI64,
}

impl DomainClock {
    /// The clock of an unpaced domain.
    pub fn unpaced(physical: PhysicalClock) -> Self {
        Self { physical, pace: None }
    }

    /// The clock of a paced domain whose time was `start` at the wall-clock moment `since` and runs at `rate`.
    ///
    /// `since` is when START ran, so a process that joins later, or is started again, goes on where the domain is.
    /// Before `since`, domain time stands at `start`.
    pub fn paced(physical: PhysicalClock, start: DomainTime, since: UtcTime, rate: TimeRate) -> Self {
        let behind = i128::from(physical.utc().0) - i128::from(since.0);
        let now = physical.now();
        let (anchor, elapsed_at_anchor) = match u64::try_from(behind) {
            Ok(elapsed) => (now, Duration::from_nanos(elapsed)),
            Err(_) => {
                let ahead = u64::try_from(-behind).unwrap_or(u64::MAX);
                (now.after(Duration::from_nanos(ahead)), Duration::ZERO)
            }
        };
        let latest = AtomicI64::new(start.0);
        let pace = Pace {
            start,
            anchor,
            elapsed_at_anchor,
            rate,
            latest,
        };
        Self {
            physical,
            pace: Some(Arc::new(pace)),
        }
    }

    /// Domain time; never earlier than what any clone has read before.
    pub fn now(&self) -> DomainTime {
        match &self.pace {
            None => self.physical.wall_domain_time(),
            Some(pace) => {
                let reading = pace.at(self.physical.now());
                let latest = pace.latest.fetch_max(reading, Ordering::Relaxed);
                DomainTime(reading.max(latest))
            }
        }
    }

    /// The moment `duration` of domain time from now.
    pub fn deadline_after(&self, duration: Duration) -> DomainDeadline {
        let duration = match &self.pace {
            None => duration,
            Some(pace) => pace.physical_duration(duration),
        };
        DomainDeadline(self.physical.now().after(duration))
    }

    /// Whether `deadline` has come.
    pub fn reached(&self, deadline: DomainDeadline) -> bool {
        deadline.0 <= self.physical.now()
    }

    /// Ends at `deadline`, or at once when it has passed. Cancel-safe.
    pub fn sleep_until(&self, deadline: DomainDeadline) -> Sleep {
        self.physical.sleep_until(deadline.0)
    }

    /// Ends after `duration` of domain time.
    pub fn sleep(&self, duration: Duration) -> Sleep {
        self.sleep_until(self.deadline_after(duration))
    }

    /// What evaluation of a batch that is admitted now reads.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            domain_time: self.now(),
            seed: self.physical.seed(),
        }
    }

    /// The physical clock beneath, for what the specification puts on it.
    pub fn physical(&self) -> &PhysicalClock {
        &self.physical
    }
}

impl Pace {
    fn at(&self, now: PhysicalInstant) -> i64 {
        let elapsed = self.elapsed_at_anchor.saturating_add(now.since(self.anchor));
        let elapsed_ns = elapsed.as_nanos();
        let domain_ns = if self.rate == TimeRate::ONE {
            i64::try_from(elapsed_ns).unwrap_or(i64::MAX)
        } else {
            // The cast saturates, which is what the end of representable time is.
            (elapsed_ns as f64 * self.rate.0) as i64
        };
        self.start.0.saturating_add(domain_ns)
    }

    /// How long `duration` of domain time lasts, rounded up so that a sleep never ends early.
    fn physical_duration(&self, duration: Duration) -> Duration {
        if self.rate == TimeRate::ONE {
            return duration;
        }
        let nanos = (duration.as_nanos() as f64 / self.rate.0).ceil();
        Duration::from_nanos(nanos as u64)
    }
}

impl fmt::Debug for DomainClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.pace {
            None => f.write_str("DomainClock(unpaced)"),
            Some(pace) => f
                .debug_struct("DomainClock")
                .field("start", &pace.start)
                .field("rate", &pace.rate)
                .finish_non_exhaustive(),
        }
    }
}

#[cfg(test)]
mod tests;
