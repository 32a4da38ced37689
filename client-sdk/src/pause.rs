//! Waiting for a moment, in one place.
//!
//! The rooms of the worker take their time from its clocks. This library lives in other people's processes, where the
//! only clock is the runtime's; its delays are physical and bounded by `backoff`.

pub(crate) use tokio::time::Instant;

/// This moment.
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Waits until `deadline`; for ever without one. Dropping it is harmless.
pub(crate) async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
