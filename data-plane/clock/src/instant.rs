//! Points in time, one type per kind of clock. Nothing converts one into another outside this crate.

use std::time::Duration;

/// A point of the monotonic clock: time since a fixed moment of this process (the default), in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PhysicalInstant(pub(crate) u64);

impl PhysicalInstant {
    /// `duration` later, at most the last point this clock can name.
    pub fn after(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(nanos(duration)))
    }

    /// `duration` later, or nothing where the clock cannot schedule it.
    pub fn checked_after(self, duration: Duration) -> Option<Self> {
        let nanos = u64::try_from(duration.as_nanos()).ok()?;
        self.0.checked_add(nanos).map(Self)
    }

    /// How much later it is than `earlier`; zero when it is not later.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

/// A reading of the wall clock: nanoseconds since 1970-01-01T00:00:00Z. It may go back between readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UtcTime(pub i64);

/// A reading of a domain's clock: nanoseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DomainTime(pub i64);

/// When a domain duration ends. Made and slept on by a [`crate::DomainClock`] alone; deadlines of one clock are
/// ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DomainDeadline(pub(crate) PhysicalInstant);

/// A duration in nanoseconds, at most what 64 bits hold (584 years).
pub(crate) fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
