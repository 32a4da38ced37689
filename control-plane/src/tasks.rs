//! The tasks of a control plane: every one is named, a panic is logged, and all end together.

use std::{
    future::Future,
    panic::{AssertUnwindSafe, resume_unwind},
    time::Duration,
};

use futures::FutureExt;
use nervix_clock::PhysicalClock;
use tokio::task::JoinHandle;
use tokio_util::{
    sync::{CancellationToken, WaitForCancellationFutureOwned},
    task::TaskTracker,
};

/// How long stopping waits for what is under way.
const STOP_BOUND: Duration = Duration::from_secs(5);

/// Starts tasks and stops them.
#[derive(Clone, Default)]
pub(crate) struct Tasks {
    tracker: TaskTracker,
    stop: CancellationToken,
}

impl Tasks {
    /// Starts a task that the control plane cannot do without: when it ends, for whatever reason, all end.
    pub(crate) fn spawn(&self, name: &'static str, task: impl Future<Output = ()> + Send + 'static) {
        let stop = self.stop.clone();
        self.tracker.spawn(async move {
            if AssertUnwindSafe(task).catch_unwind().await.is_err() {
                tracing::error!(task = name, "a task of the control plane panicked");
            } else if !stop.is_cancelled() {
                tracing::error!(task = name, "a task of the control plane ended by itself");
            }
            stop.cancel();
        });
    }

    /// Starts work that somebody asked for; it is carried through when that somebody goes away. A panic of it is logged
    /// and passed on to whoever waits.
    pub(crate) fn attend<T: Send + 'static>(
        &self,
        name: &'static str,
        work: impl Future<Output = T> + Send + 'static,
    ) -> JoinHandle<T> {
        self.tracker.spawn(async move {
            match AssertUnwindSafe(work).catch_unwind().await {
                Ok(done) => done,
                Err(panic) => {
                    tracing::error!(task = name, "work of the control plane panicked");
                    resume_unwind(panic)
                }
            }
        })
    }

    /// Resolves when all tasks are to end.
    pub(crate) fn stopping(&self) -> WaitForCancellationFutureOwned {
        self.stop.clone().cancelled_owned()
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.stop.is_cancelled()
    }

    /// Asks all tasks to end and waits until they have, for [`STOP_BOUND`] at most.
    pub(crate) async fn stop(&self) {
        self.stop.cancel();
        self.stopped().await;
    }

    pub(crate) async fn stopped(&self) {
        self.stop.cancelled().await;
        self.tracker.close();
        let clock = PhysicalClock::system();
        if clock.timeout(STOP_BOUND, self.tracker.wait()).await.is_err() {
            tracing::warn!("work that was under way is cut short; what it had committed holds");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Tasks;
    use crate::logged::Logged;

    #[tokio::test]
    async fn a_panic_of_attended_work_is_logged_and_reaches_whoever_waits() {
        let (lines, _guard) = Logged::here();
        let tasks = Tasks::default();
        let ended = tasks.attend("a script", async { panic!("on purpose") }).await;
        assert!(ended.is_err_and(|error| error.is_panic()));
        let logged = lines.text();
        assert!(
            logged.contains("ERROR") && logged.contains("a script"),
            "{logged}"
        );
        assert!(!tasks.is_stopping(), "the others go on");
    }
}
