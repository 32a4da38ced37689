//! The physical clock: the monotonic time of this process, and the wall clock beside it.

use std::fmt;
use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::Poll;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::fine::{FineTimer, monotonic_now};
use crate::instant::{DomainTime, PhysicalInstant, UtcTime};
use crate::manual::Hands;
use crate::seed::Seeds;
use crate::sleep::Sleep;

/// Reads and sleeps on physical time. Cheap to clone.
#[derive(Clone)]
pub struct PhysicalClock {
    source: Arc<Source>,
}

pub(crate) struct Source {
    pub(crate) kind: SourceKind,
    seeds: Seeds,
    /// The latest wall-clock reading that served as a domain time.
    latest_wall: AtomicI64,
}

pub(crate) enum SourceKind {
    System { origin: Instant, fine: FineTimer },
    Manual(Arc<Hands>),
}

/// What [`PhysicalClock::timeout`] answers when the time was up first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedOut;

impl fmt::Display for TimedOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the time was up before it was done")
    }
}

impl std::error::Error for TimedOut {}

impl PhysicalClock {
    /// The system's clock. All clocks of one process share one beginning, so their instants compare.
    pub fn system() -> Self {
        static ORIGIN: OnceLock<Instant> = OnceLock::new();
        let origin = *ORIGIN.get_or_init(monotonic_now);
        Self::over(
            SourceKind::System {
                origin,
                fine: FineTimer::default(),
            },
            Seeds::from_entropy(),
        )
    }

    pub(crate) fn manual(hands: Arc<Hands>, seed: [u8; 32]) -> Self {
        Self::over(SourceKind::Manual(hands), Seeds::fixed(seed))
    }

    fn over(kind: SourceKind, seeds: Seeds) -> Self {
        let source = Source {
            kind,
            seeds,
            latest_wall: AtomicI64::new(i64::MIN),
        };
        Self {
            source: Arc::new(source),
        }
    }

    /// The monotonic time.
    pub fn now(&self) -> PhysicalInstant {
        match &self.source.kind {
            SourceKind::System { origin, .. } => {
                let elapsed = monotonic_now().saturating_duration_since(*origin);
                PhysicalInstant(crate::instant::nanos(elapsed))
            }
            SourceKind::Manual(hands) => hands.now(),
        }
    }

    /// The wall clock. For what is observed or shown, never for measuring.
    pub fn utc(&self) -> UtcTime {
        match &self.source.kind {
            SourceKind::System { .. } => UtcTime(wall_nanos()),
            SourceKind::Manual(hands) => hands.utc(),
        }
    }

    /// Ends at `deadline`, or at once when it has passed. Cancel-safe; it may be polled again after a `select`.
    pub fn sleep_until(&self, deadline: PhysicalInstant) -> Sleep {
        Sleep::new(Arc::clone(&self.source), deadline)
    }

    /// Ends `duration` from now.
    pub fn sleep(&self, duration: Duration) -> Sleep {
        self.sleep_until(self.now().after(duration))
    }

    /// Runs `work` for at most `duration`; when the time is up it is dropped.
    pub async fn timeout<F: Future>(&self, duration: Duration, work: F) -> Result<F::Output, TimedOut> {
        self.timeout_at(self.now().after(duration), work).await
    }

    /// Runs `work` until `deadline` at most. Work that is done at its first poll never times out.
    pub async fn timeout_at<F: Future>(
        &self,
        deadline: PhysicalInstant,
        work: F,
    ) -> Result<F::Output, TimedOut> {
        let mut work = pin!(work);
        let mut sleep = pin!(self.sleep_until(deadline));
        std::future::poll_fn(|cx| match work.as_mut().poll(cx) {
            Poll::Ready(output) => Poll::Ready(Ok(output)),
            Poll::Pending => sleep.as_mut().poll(cx).map(|()| Err(TimedOut)),
        })
        .await
    }

    /// The wall clock as domain time: the latest reading that any domain of this clock was given, or a later one.
    pub(crate) fn wall_domain_time(&self) -> DomainTime {
        let reading = self.utc().0;
        let latest = self.source.latest_wall.fetch_max(reading, Ordering::Relaxed);
        DomainTime(reading.max(latest))
    }

    pub(crate) fn seed(&self) -> [u8; 32] {
        self.source.seeds.next()
    }
}

impl fmt::Debug for PhysicalClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.source.kind {
            SourceKind::System { .. } => f.write_str("PhysicalClock(system)"),
            SourceKind::Manual(_) => f.write_str("PhysicalClock(manual)"),
        }
    }
}

#[allow(clippy::disallowed_methods, reason = "this crate is where time is read")]
fn wall_nanos() -> i64 {
    match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |nanos| -nanos),
    }
}

#[cfg(test)]
mod tests;
