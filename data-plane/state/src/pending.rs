//! What is to be written next.
//!
//! Invariant: of each state the last write is kept and no other, so it holds no more entries than there are states;
//! receipts are bounded by [`nervix_relay::UNWRITTEN_BATCHES_MAX`] a relay.

use std::sync::Arc;

use ahash::AHashMap;
use nervix_relay::{Latest, Receipt, StateWrite};

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
}

impl Pending {
    pub(crate) fn put(&mut self, relay: u64, write: StateWrite) {
        let StateWrite { key, latest, receipt } = write;
        if latest.is_some() {
            self.dirty.insert((relay, key), latest);
        }
        self.receipts.push(receipt);
        self.asked = true;
    }

    pub(crate) fn forget(&mut self, relay: u64, key: &Arc<[u8]>) {
        self.dirty.insert((relay, Arc::clone(key)), None);
        self.asked = true;
    }

    pub(crate) fn take(&mut self) -> (Dirty, Vec<Receipt>) {
        self.asked = false;
        (
            std::mem::take(&mut self.dirty),
            std::mem::take(&mut self.receipts),
        )
    }

    /// Puts back what could not be written; what has come in meanwhile is newer.
    pub(crate) fn put_back(&mut self, unwritten: Dirty) {
        for (key, latest) in unwritten {
            self.dirty.entry(key).or_insert(latest);
        }
    }
}
