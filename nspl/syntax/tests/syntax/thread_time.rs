//! Time as one thread spends it: what it waits for a processor does not count, so other work on the machine changes no
//! measured figure.

use std::time::Duration;

/// How long something computes in this thread, and what it gives.
pub(crate) fn computed_in<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let begin = account();
    let result = work();
    (account() - begin, result)
}

fn account() -> Duration {
    // The kernel brings its account up to date when a thread gives way, else at the next tick.
    std::thread::yield_now();
    let account = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    let nanos = account.split(' ').next().and_then(|figure| figure.parse().ok());
    Duration::from_nanos(nanos.unwrap())
}
