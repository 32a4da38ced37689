//! The tasks of a control plane: every one is named, a panic is logged, and all end together.

use std::{future::Future, panic::AssertUnwindSafe};

use futures::FutureExt;
use tokio_util::{
    sync::{CancellationToken, WaitForCancellationFutureOwned},
    task::TaskTracker,
};

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

    /// Resolves when all tasks are to end.
    pub(crate) fn stopping(&self) -> WaitForCancellationFutureOwned {
        self.stop.clone().cancelled_owned()
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.stop.is_cancelled()
    }

    /// Asks all tasks to end and waits until they have.
    pub(crate) async fn stop(&self) {
        self.stop.cancel();
        self.tracker.close();
        self.tracker.wait().await;
    }

    pub(crate) async fn stopped(&self) {
        self.stop.cancelled().await;
        self.tracker.close();
        self.tracker.wait().await;
    }
}
