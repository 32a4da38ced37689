//! Sleeps shorter than the runtime's timer can tell apart.
//!
//! Tokio's timer counts milliseconds and rounds up, so the 100 us window of FLUSH IMMEDIATE would last one to two
//! milliseconds. One thread per clock, started at the first such sleep, waits on a condition variable instead.
//! It deliberately does nothing but wake: the work runs where the sleeper runs.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::task::Waker;
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

/// Sleeps up to this long are fine; longer ones are left to the runtime.
pub(crate) const FINE_SPAN: Duration = Duration::from_millis(3);

/// When, and which sleeper of that moment.
pub(crate) type FineKey = (Instant, u64);

#[derive(Debug, Default)]
pub(crate) struct FineTimer {
    shared: Arc<Shared>,
    running: OnceLock<bool>,
}

#[derive(Debug, Default)]
struct Shared {
    line: Mutex<Line>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Line {
    sleepers: BTreeMap<FineKey, Waker>,
    next_id: u64,
    stopped: bool,
}

impl FineTimer {
    /// Registers a sleeper. Nothing is returned where the thread could not be started.
    pub(crate) fn register(&self, deadline: Instant, waker: &Waker) -> Option<FineKey> {
        if !self.running.get_or_init(|| start(Arc::clone(&self.shared))) {
            return None;
        }
        let mut line = self.shared.line.lock();
        let key = (deadline, line.next_id);
        line.next_id += 1;
        let earliest = line
            .sleepers
            .first_key_value()
            .is_none_or(|(first, _)| key < *first);
        line.sleepers.insert(key, waker.clone());
        drop(line);
        if earliest {
            self.shared.changed.notify_one();
        }
        Some(key)
    }

    /// Replaces the waker of a sleeper that has not been woken yet.
    pub(crate) fn update(&self, key: FineKey, waker: &Waker) -> bool {
        match self.shared.line.lock().sleepers.get_mut(&key) {
            Some(known) => {
                known.clone_from(waker);
                true
            }
            None => false,
        }
    }

    pub(crate) fn cancel(&self, key: FineKey) {
        let waker = self.shared.line.lock().sleepers.remove(&key);
        drop(waker);
    }
}

impl Drop for FineTimer {
    fn drop(&mut self) {
        self.shared.line.lock().stopped = true;
        self.shared.changed.notify_one();
    }
}

fn start(shared: Arc<Shared>) -> bool {
    thread::Builder::new()
        .name("nervix-fine-timer".into())
        .spawn(move || run(&shared))
        .is_ok()
}

fn run(shared: &Shared) {
    let mut line = shared.line.lock();
    while !line.stopped {
        let now = monotonic_now();
        let Some((&(deadline, id), _)) = line.sleepers.first_key_value() else {
            shared.changed.wait(&mut line);
            continue;
        };
        if deadline > now {
            shared.changed.wait_until(&mut line, deadline);
            continue;
        }
        if let Some(waker) = line.sleepers.remove(&(deadline, id)) {
            parking_lot::MutexGuard::unlocked(&mut line, || waker.wake());
        }
    }
}

/// The one reading of the monotonic clock.
#[allow(clippy::disallowed_methods, reason = "this crate is where time is read")]
pub(crate) fn monotonic_now() -> Instant {
    Instant::now()
}
