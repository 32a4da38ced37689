//! Waiting on conditions, always with a bound.

use std::fmt::Debug;
use std::future::Future;
use std::time::Duration;

/// How long a condition may take to come true before the test fails.
pub const PATIENCE: Duration = Duration::from_secs(30);

const POLL_EVERY: Duration = Duration::from_millis(10);

/// Asks `probe` until it answers `Some`.
///
/// # Panics
/// When it has not within [`PATIENCE`]; the message names what was waited for.
pub async fn until<T, F, Fut>(what: &str, probe: F) -> T
where
    F: FnMut() -> Fut,
    Fut: Future<Output = Option<T>>,
{
    until_within(PATIENCE, what, probe).await
}

/// [`until`] with a bound of its own.
///
/// # Panics
/// When `probe` has not answered within `bound`.
pub async fn until_within<T, F, Fut>(bound: Duration, what: &str, mut probe: F) -> T
where
    F: FnMut() -> Fut,
    Fut: Future<Output = Option<T>>,
{
    let mut ticks = tokio::time::interval(POLL_EVERY);
    let asked = async {
        loop {
            ticks.tick().await;
            if let Some(answer) = probe().await {
                return answer;
            }
        }
    };
    match tokio::time::timeout(bound, asked).await {
        Ok(answer) => answer,
        Err(_) => panic!("waited {bound:?} in vain until {what}"),
    }
}

/// Gives a future [`PATIENCE`] to finish.
///
/// # Panics
/// When it has not.
pub async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(PATIENCE, future).await {
        Ok(answer) => answer,
        Err(_) => panic!("{what} took longer than {PATIENCE:?}"),
    }
}

/// Unwraps with a sentence.
///
/// # Panics
/// On `Err`, naming what failed.
pub fn must<T, E: Debug>(what: &str, result: Result<T, E>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{what}: {error:?}"),
    }
}
