//! What travels through a relay.

use std::fmt;
use std::sync::Arc;

use arrow::array::RecordBatch;
use nervix_ack::Share;
use nervix_budget::Held;
use nervix_clock::Snapshot;

use crate::branches::BranchRef;
use crate::timestamps::Timestamps;

/// Rows of one concrete branch, or of none, with all that belongs to them (companion.md section 9).
///
/// Invariant: `records`, `share` and `timestamps` have the same number of rows, in the same order.
pub struct RelayBatch {
    /// The rows, in the relay's schema.
    pub records: RecordBatch,
    /// The acknowledgement: row `i` of it is record `i`.
    pub share: Share,
    /// The concrete branch; none in an unbranched relay.
    pub branch: Option<BranchRef>,
    /// What evaluation of these rows reads.
    pub snapshot: Arc<Snapshot>,
    /// Domain time at admission, per row.
    pub timestamps: Timestamps,
    /// The bytes that the rows keep alive, counted once for all consumers.
    pub held: Arc<Held>,
}

impl RelayBatch {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.records.num_rows()
    }

    /// The same rows once more, with `share` for their acknowledgement.
    pub(crate) fn with_share(&self, share: Share) -> Self {
        Self {
            records: self.records.clone(),
            share,
            branch: self.branch.clone(),
            snapshot: Arc::clone(&self.snapshot),
            timestamps: self.timestamps.clone(),
            held: Arc::clone(&self.held),
        }
    }
}

impl fmt::Debug for RelayBatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RelayBatch")
            .field("rows", &self.rows())
            .field("branch", &self.branch)
            .field("share", &self.share)
            .finish_non_exhaustive()
    }
}
