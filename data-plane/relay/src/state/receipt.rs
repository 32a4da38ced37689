//! What the journal owes for a write.

use std::fmt;
use std::sync::{Arc, Weak};

use nervix_ack::{Fate, Reason, Share};

use super::Latest;
use crate::branches::BranchRef;
use crate::relay::Relay;

/// A state to be made durable.
#[derive(Debug)]
pub struct StateWrite {
    /// The key values of the branch; empty for an unbranched relay. Never to be shown.
    pub key: Arc<[u8]>,
    /// The new state; none when the rows changed nothing.
    pub latest: Option<Arc<Latest>>,
    /// To be settled when everything up to this write is durable.
    pub receipt: Receipt,
}

impl StateWrite {
    pub(super) fn new(key: Arc<[u8]>, latest: Option<Arc<Latest>>, receipt: Receipt) -> Self {
        Self { key, latest, receipt }
    }
}

/// Rows that wait for a state to be durable; it keeps their branch instance. Dropped, they resolve as unresolved.
/// Never to be dropped or settled with a lock held: shares call back to their writers.
pub struct Receipt {
    share: Share,
    branch: Option<BranchRef>,
    relay: Weak<Relay>,
}

impl Receipt {
    pub(crate) fn new(share: Share, branch: Option<BranchRef>, relay: Weak<Relay>) -> Self {
        Self { share, branch, relay }
    }

    pub(super) fn branch(&self) -> Option<&BranchRef> {
        self.branch.as_ref()
    }

    /// The state is durable.
    pub fn durable(mut self) {
        std::mem::take(&mut self.share).settle(Fate::Done);
    }

    /// The state could not be made durable, and why.
    pub fn failed(mut self, why: &str) {
        let reason = Reason::new("state", why.to_owned());
        std::mem::take(&mut self.share).settle_with(Fate::Unresolved, reason);
    }
}

impl Drop for Receipt {
    fn drop(&mut self) {
        // Before the relay hears of it: who waits for the relay may need the instance.
        drop(self.branch.take());
        if let Some(relay) = self.relay.upgrade() {
            relay.change(|state| state.unwritten -= 1);
        }
    }
}

impl fmt::Debug for Receipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receipt")
            .field("rows", &self.share.len())
            .field("branch", &self.branch)
            .finish_non_exhaustive()
    }
}
