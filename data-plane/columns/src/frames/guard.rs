//! Reading what a peer sent without being ended by it.
//!
//! The Arrow reader asserts in places. What the check of a message's layout cannot foresee of that is caught here: the message is at
//! fault then, not this process. Whoever reports panics asks [`is_guarded`] and leaves these alone, since a peer can
//! cause as many as it likes; the log has a line at `warn` for the first, second, fourth and so on, all at `debug`.

use std::{
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::{AtomicU64, Ordering},
};

use arrow::error::ArrowError;

use super::FrameFault;

/// Messages of this process that the reader asserted on.
static CAUGHT: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread reads what a peer sent, so that a panic of it is caught and is no fault of this process.
pub fn is_guarded() -> bool {
    GUARDED.get()
}

pub(super) fn guarded<T>(read: impl FnOnce() -> Result<T, ArrowError>) -> Result<T, FrameFault> {
    let outer = GUARDED.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(read));
    GUARDED.set(outer);
    match outcome {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(FrameFault::Unreadable(short(&error))),
        Err(_) => {
            tell(CAUGHT.fetch_add(1, Ordering::Relaxed).saturating_add(1));
            Err(FrameFault::Inconsistent("its parts contradict one another"))
        }
    }
}

fn tell(messages: u64) {
    if messages.is_power_of_two() {
        tracing::warn!(messages, "damaged Arrow messages were refused");
    } else {
        tracing::debug!(messages, "a damaged Arrow message was refused");
    }
}

/// The kind of the error only: the text of Arrow's errors can quote values.
fn short(error: &ArrowError) -> String {
    match error {
        ArrowError::IpcError(_) | ArrowError::ParseError(_) => "malformed IPC".to_owned(),
        ArrowError::InvalidArgumentError(_) => "invalid column".to_owned(),
        ArrowError::SchemaError(_) => "schema and batch differ".to_owned(),
        ArrowError::NotYetImplemented(_) => "not a form that this release reads".to_owned(),
        ArrowError::MemoryError(_) => "out of bounds".to_owned(),
        _ => "malformed".to_owned(),
    }
}
