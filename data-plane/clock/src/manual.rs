//! A clock that moves only when a test moves it.
//!
//! Invariant: sleepers wake in the order of their deadlines, those of one moment in the order in which they fell
//! asleep, and each has run before the next wakes. On a single-threaded runtime a test is therefore the same
//! every time.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::task::Waker;
use std::time::Duration;

use parking_lot::Mutex;

use crate::domain::{DomainClock, TimeRate};
use crate::instant::{DomainTime, PhysicalInstant, UtcTime};
use crate::physical::PhysicalClock;

/// Where the wall clock stands at first: 2026-01-01T00:00:00Z.
const FIRST_UTC: UtcTime = UtcTime(1_767_225_600_000_000_000);
/// How often other tasks get to run after each wake, so that what a woken task sets in motion comes to rest.
const SETTLE_TURNS: usize = 64;
/// How long a woken sleeper may leave its wake unanswered before the clock goes on without it, in turns.
const WOKEN_TURNS_MAX: usize = 1_024;

/// When, and which sleeper of that moment.
pub(crate) type HandKey = (PhysicalInstant, u64);

/// Drives clocks of both kinds. Clones drive the same time.
#[derive(Clone)]
pub struct ManualClock {
    hands: Arc<Hands>,
    physical: PhysicalClock,
}

impl Default for ManualClock {
    fn default() -> Self {
        Self::new()
    }
}

impl ManualClock {
    /// A clock at 2026-01-01T00:00:00Z whose snapshots have the same seeds every time.
    pub fn new() -> Self {
        Self::at(FIRST_UTC)
    }

    /// A clock whose wall clock stands at `utc`.
    pub fn at(utc: UtcTime) -> Self {
        let dial = Dial {
            utc_at_zero: i128::from(utc.0),
            ..Dial::default()
        };
        let hands = Arc::new(Hands(Mutex::new(dial)));
        let physical = PhysicalClock::manual(Arc::clone(&hands), [7; 32]);
        Self { hands, physical }
    }

    /// The physical clock it drives.
    pub fn physical(&self) -> PhysicalClock {
        self.physical.clone()
    }

    /// An unpaced domain's clock.
    pub fn domain(&self) -> DomainClock {
        DomainClock::unpaced(self.physical())
    }

    /// A paced domain's clock, started now at `start`.
    pub fn paced(&self, start: DomainTime, rate: TimeRate) -> DomainClock {
        DomainClock::paced(self.physical(), start, self.hands.utc(), rate)
    }

    /// Moves time on by `duration`, waking each sleeper at its own moment and letting it run before the next.
    ///
    /// Sleepers that woken tasks start meanwhile and that end within `duration` wake as well.
    pub async fn advance(&self, duration: Duration) {
        let target = self.hands.now().after(duration);
        while self.hands.wake_first(target) {
            self.settle().await;
        }
        self.hands.move_to(target);
        self.settle().await;
    }

    /// Moves time to the next deadline somebody sleeps on, and says whether there was one.
    pub async fn advance_to_next(&self) -> bool {
        let Some(deadline) = self.hands.next_deadline() else {
            return false;
        };
        let now = self.hands.now();
        self.advance(deadline.since(now)).await;
        true
    }

    /// Lets other tasks run until those that were woken have seen it and what they set in motion has had turns.
    pub async fn settle(&self) {
        for _ in 0..WOKEN_TURNS_MAX {
            if self.hands.all_noticed() {
                break;
            }
            tokio::task::yield_now().await;
        }
        for _ in 0..SETTLE_TURNS {
            tokio::task::yield_now().await;
        }
    }

    /// Steps the wall clock to `utc`, forth or back, without moving monotonic time.
    pub fn set_utc(&self, utc: UtcTime) {
        let mut dial = self.hands.0.lock();
        dial.utc_at_zero = i128::from(utc.0) - i128::from(dial.now.0);
    }

    /// How many sleepers there are.
    pub fn sleepers(&self) -> usize {
        self.hands.0.lock().sleepers.len()
    }

    /// When the next sleeper wakes.
    pub fn next_deadline(&self) -> Option<PhysicalInstant> {
        self.hands.next_deadline()
    }
}

impl fmt::Debug for ManualClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ManualClock")
            .field("now", &self.hands.now())
            .field("sleepers", &self.sleepers())
            .finish()
    }
}

/// The moving parts that all clocks of one manual clock share.
pub(crate) struct Hands(Mutex<Dial>);

#[derive(Default)]
struct Dial {
    now: PhysicalInstant,
    utc_at_zero: i128,
    next_id: u64,
    sleepers: BTreeMap<HandKey, Waker>,
    /// Woken, but neither polled nor dropped since.
    unnoticed: BTreeSet<HandKey>,
}

impl Hands {
    pub(crate) fn now(&self) -> PhysicalInstant {
        self.0.lock().now
    }

    pub(crate) fn utc(&self) -> UtcTime {
        let dial = self.0.lock();
        let utc = dial.utc_at_zero + i128::from(dial.now.0);
        UtcTime(i64::try_from(utc).unwrap_or(if utc < 0 { i64::MIN } else { i64::MAX }))
    }

    /// Registers or renews a sleeper; nothing when its deadline has come.
    pub(crate) fn wait(
        &self,
        key: Option<HandKey>,
        deadline: PhysicalInstant,
        waker: &Waker,
    ) -> Option<HandKey> {
        let mut dial = self.0.lock();
        if let Some(key) = key {
            dial.unnoticed.remove(&key);
        }
        if deadline <= dial.now {
            if let Some(key) = key {
                dial.sleepers.remove(&key);
            }
            return None;
        }
        let key = key.unwrap_or_else(|| {
            dial.next_id += 1;
            (deadline, dial.next_id)
        });
        dial.sleepers.insert(key, waker.clone());
        Some(key)
    }

    pub(crate) fn cancel(&self, key: HandKey) {
        let waker = {
            let mut dial = self.0.lock();
            dial.unnoticed.remove(&key);
            dial.sleepers.remove(&key)
        };
        drop(waker);
    }

    fn next_deadline(&self) -> Option<PhysicalInstant> {
        self.0
            .lock()
            .sleepers
            .first_key_value()
            .map(|((deadline, _), _)| *deadline)
    }

    /// Moves to the first sleeper that is due by `target` and wakes it; false when there is none.
    fn wake_first(&self, target: PhysicalInstant) -> bool {
        let waker = {
            let mut dial = self.0.lock();
            match dial.sleepers.first_key_value() {
                Some(((deadline, _), _)) if *deadline <= target => {}
                _ => return false,
            }
            let Some((key, waker)) = dial.sleepers.pop_first() else {
                return false;
            };
            dial.now = dial.now.max(key.0);
            dial.unnoticed.insert(key);
            waker
        };
        waker.wake();
        true
    }

    fn move_to(&self, target: PhysicalInstant) {
        let mut dial = self.0.lock();
        dial.now = dial.now.max(target);
    }

    fn all_noticed(&self) -> bool {
        self.0.lock().unnoticed.is_empty()
    }
}

#[cfg(test)]
mod tests;
