//! The two primitives a root is built on, behind names that the loom model (`tests/loom.rs`) replaces.

pub(crate) use std::sync::atomic::{AtomicU64, Ordering};

/// A mutual exclusion lock that is only ever held inside a closure.
#[derive(Debug, Default)]
pub(crate) struct Lock<T>(parking_lot::Mutex<T>);

impl<T> Lock<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(parking_lot::Mutex::new(value))
    }

    pub(crate) fn with<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        change(&mut self.0.lock())
    }
}
