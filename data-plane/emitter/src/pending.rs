//! How many source records the live run holds.
//!
//! Invariant: what is admitted is settled once; what is left when the run ends, however it ends, is counted unresolved.

use std::sync::Arc;

use crate::counters::EmitterCounters;

/// Records that are admitted and not settled.
pub(crate) struct Pending {
    counters: Arc<EmitterCounters>,
    messages: u64,
}

impl Pending {
    pub(crate) fn new(counters: Arc<EmitterCounters>) -> Self {
        Self {
            counters,
            messages: 0,
        }
    }

    pub(crate) fn admit(&mut self, rows: usize, bytes: u64) {
        self.messages += rows as u64;
        self.counters.received(rows as u64, bytes);
    }

    /// Counts rows as settled and gives their number.
    pub(crate) fn settle(&mut self, rows: usize) -> u64 {
        self.messages = self.messages.saturating_sub(rows as u64);
        rows as u64
    }

    pub(crate) fn messages(&self) -> u64 {
        self.messages
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.counters.unresolved(self.messages);
    }
}
