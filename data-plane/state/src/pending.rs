//! What is to be written next.
//!
//! Invariants: of each state the last write is kept and no other. While nothing can be written, at most
//! [`OWED_STATES_MAX`] states come in; beside them there is at most what was to be forgotten of states that are written,
//! and of these there are no more than were written. Receipts are bounded by [`nervix_relay::UNWRITTEN_BATCHES_MAX`] a
//! relay.

use std::sync::Arc;

use ahash::AHashMap;
use nervix_relay::{Latest, Receipt, StateWrite};

/// States that wait to be written, or forgotten, at a time after a write that failed; further ones are refused.
pub(crate) const OWED_STATES_MAX: usize = 65_536;

/// A relay by its number in the file, and the key of a branch.
pub(crate) type StateKey = (u64, Arc<[u8]>);

/// States to write; none: to forget.
pub(crate) type Dirty = AHashMap<StateKey, Option<Arc<Latest>>>;

#[derive(Default)]
pub(crate) struct Pending {
    pub(crate) dirty: Dirty,
    pub(crate) receipts: Vec<Receipt>,
    /// Something has come in since the last commit began.
    pub(crate) asked: bool,
    /// Nothing is taken any more.
    pub(crate) stopped: bool,
    /// What was taken last could not be written.
    failing: bool,
    /// States that were taken and are not known to be written.
    under_way: usize,
}

impl Pending {
    /// # Errors
    /// The write, where too much is owed already.
    pub(crate) fn put(&mut self, relay: u64, write: StateWrite) -> Result<(), StateWrite> {
        let key = (relay, Arc::clone(&write.key));
        if write.latest.is_some() && self.is_full() && !self.dirty.contains_key(&key) {
            return Err(write);
        }
        let StateWrite { latest, receipt, .. } = write;
        if latest.is_some() {
            self.dirty.insert(key, latest);
        }
        self.receipts.push(receipt);
        self.asked = true;
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.failing && self.dirty.len().saturating_add(self.under_way) >= OWED_STATES_MAX
    }

    pub(crate) fn forget(&mut self, relay: u64, key: &Arc<[u8]>) {
        self.dirty.insert((relay, Arc::clone(key)), None);
        self.asked = true;
    }

    pub(crate) fn take(&mut self) -> (Dirty, Vec<Receipt>) {
        self.asked = false;
        self.under_way = self.dirty.len();
        (
            std::mem::take(&mut self.dirty),
            std::mem::take(&mut self.receipts),
        )
    }

    /// What was taken last is written.
    pub(crate) fn written(&mut self) {
        self.failing = false;
        self.under_way = 0;
    }

    /// Puts back what could not be written; what has come in meanwhile is newer.
    pub(crate) fn put_back(&mut self, unwritten: Dirty) {
        self.failing = true;
        self.under_way = 0;
        for (key, latest) in unwritten {
            self.dirty.entry(key).or_insert(latest);
        }
    }
}
