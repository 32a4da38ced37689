//! Waiting in commands: a bound on something, and a pause.
//!
//! The rooms of the worker take their time from its clocks, which tests drive. A command has only the runtime's, and
//! nothing of a record depends on it; so it waits here and nowhere else.

use std::time::Duration;

/// What `work` gives, or nothing when it is not done within `bound`.
pub(crate) async fn within<T>(bound: Duration, work: impl Future<Output = T>) -> Option<T> {
    tokio::time::timeout(bound, work).await.ok()
}

/// Waits for `bound`.
pub(crate) async fn pause(bound: Duration) {
    // An elapsed bound of what never comes.
    within(bound, std::future::pending::<()>()).await;
}

/// Looks every so often; the first look is at once.
pub(crate) fn looks(every: Duration) -> tokio::time::Interval {
    tokio::time::interval(every)
}
