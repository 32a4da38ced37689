//! The only place of the worker that spawns tasks.
//!
//! Invariants: a panic never goes unnoticed and never ends another task; what a panicking task held is dropped, so its
//! acknowledgement shares resolve as unresolved. A kept task starts again after a backoff. Dropping a [`Task`] ends its
//! work. Who is to be told of a panic is the caller's business.

use std::{future::Future, panic::AssertUnwindSafe, time::Duration};

use futures::FutureExt;
use nervix_clock::PhysicalClock;
use tokio_util::{
    sync::{CancellationToken, DropGuard},
    task::TaskTracker,
};

/// The wait before the first restart of a kept task.
pub(crate) const RESTART_BACKOFF_MIN: Duration = Duration::from_millis(100);
/// The longest wait before a restart.
pub(crate) const RESTART_BACKOFF_MAX: Duration = Duration::from_secs(30);
/// A task that ran this long before it panicked starts again after the shortest wait.
const RESTART_FORGIVEN_AFTER: Duration = Duration::from_secs(60);

/// Spawns and watches; clones share everything.
#[derive(Clone, Debug)]
pub(crate) struct Supervisor {
    tracker: TaskTracker,
    root: CancellationToken,
    clock: PhysicalClock,
}

/// A running task; dropping it cancels the work at its next await.
#[derive(Debug)]
pub(crate) struct Task {
    guard: DropGuard,
    ended: CancellationToken,
}

impl Task {
    /// Ends the work and waits until it is gone.
    pub(crate) async fn end(self) {
        let ended = self.ended.clone();
        drop(self.guard);
        ended.cancelled().await;
    }

    /// Whether the work has ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended.is_cancelled()
    }

    /// Waits until the work has ended by itself.
    pub(crate) async fn joined(&self) {
        self.ended.cancelled().await;
    }
}

impl Supervisor {
    /// A supervisor whose restarts wait on `clock`.
    pub(crate) fn new(clock: PhysicalClock) -> Self {
        Self {
            tracker: TaskTracker::new(),
            root: CancellationToken::new(),
            clock,
        }
    }

    /// Runs `work` once; `on_panic` is called when it panics.
    pub(crate) fn once<F>(&self, work: F, on_panic: impl FnOnce() + Send + 'static) -> Task
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let work = async move {
            if AssertUnwindSafe(work).catch_unwind().await.is_err() {
                on_panic();
            }
        };
        self.spawn(work)
    }

    /// Runs what `start` makes until it ends by itself, and makes it anew after each panic.
    ///
    /// `on_panic` hears each panic and the wait until the restart.
    pub(crate) fn keep<F, W>(&self, mut start: F, mut on_panic: impl FnMut(Duration) + Send + 'static) -> Task
    where
        F: FnMut() -> W + Send + 'static,
        W: Future<Output = ()> + Send + 'static,
    {
        let clock = self.clock.clone();
        let work = async move {
            let mut backoff = RESTART_BACKOFF_MIN;
            loop {
                let started = clock.now();
                let run = async { start().await };
                if AssertUnwindSafe(run).catch_unwind().await.is_ok() {
                    return;
                }
                if clock.now().since(started) >= RESTART_FORGIVEN_AFTER {
                    backoff = RESTART_BACKOFF_MIN;
                }
                on_panic(backoff);
                clock.sleep(backoff).await;
                backoff = (backoff * 2).min(RESTART_BACKOFF_MAX);
            }
        };
        self.spawn(work)
    }

    /// Does `work` that blocks, on a thread that runs no tasks; nothing where it panicked. It is carried through also when
    /// nobody waits for it any more.
    pub(crate) async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let done = self.tracker.spawn_blocking(work).await;
        done.inspect_err(|error| tracing::error!(%error, "work that blocks has panicked"))
            .ok()
    }

    /// Cancels everything and waits until it is gone.
    pub(crate) async fn end_all(&self) {
        self.root.cancel();
        self.tracker.close();
        self.tracker.wait().await;
    }

    /// Cancels everything without waiting.
    pub(crate) fn cancel_all(&self) {
        self.root.cancel();
    }

    fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) -> Task {
        let token = self.root.child_token();
        let ended = CancellationToken::new();
        let (cancelled, ends) = (token.clone(), ended.clone().drop_guard());
        self.tracker.spawn(async move {
            let _ends = ends;
            cancelled.run_until_cancelled_owned(work).await;
        });
        Task {
            guard: token.drop_guard(),
            ended,
        }
    }
}

#[cfg(test)]
mod tests;
