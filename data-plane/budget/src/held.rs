//! Bytes that are counted while something keeps them.

use std::sync::Arc;

use crate::budget::Budget;

/// A number of bytes counted in a [`Budget`] until it is dropped.
#[must_use = "the bytes are freed when this is dropped"]
#[derive(Debug)]
pub struct Held {
    budget: Option<Budget>,
    bytes: u64,
    _parent: Option<Arc<Held>>,
}

impl Held {
    pub(crate) fn new(budget: Budget, bytes: u64) -> Self {
        Self {
            budget: Some(budget),
            bytes,
            _parent: None,
        }
    }

    /// Nothing, of no budget.
    pub const fn nothing() -> Self {
        Self {
            budget: None,
            bytes: 0,
            _parent: None,
        }
    }

    /// Keeps `parent` counted as long as this is: for what shares allocations with it and adds its own.
    pub fn beside(mut self, parent: Arc<Self>) -> Self {
        self._parent = Some(parent);
        self
    }

    /// The bytes it counts, without those of a parent.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Corrects the count to `bytes`, up or down, without waiting: for a size known better after decoding.
    pub fn resize(&mut self, bytes: u64) {
        if let Some(budget) = &self.budget {
            budget.adjust(self.bytes, bytes);
            self.bytes = bytes;
        }
    }

    /// Moves `bytes` of its count (at most all) into a piece of their own; the sum stays the same.
    pub fn split(&mut self, bytes: u64) -> Self {
        let bytes = bytes.min(self.bytes);
        self.bytes -= bytes;
        Self {
            budget: self.budget.clone(),
            bytes,
            _parent: self._parent.clone(),
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(budget) = self.budget.take()
            && self.bytes > 0
        {
            budget.adjust(self.bytes, 0);
        }
    }
}
