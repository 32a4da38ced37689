//! One state: one row and its domain time.

use std::fmt;

use arrow::array::RecordBatch;
use nervix_budget::Held;
use nervix_clock::DomainTime;
use nervix_columns::held_bytes;

use super::StateBudget;

/// What a state costs beside its row and its key, in bytes.
pub(crate) const STATE_OVERHEAD_BYTES: u64 = 512;

/// The last row of a concrete branch by domain time of admission.
pub struct Latest {
    record: RecordBatch,
    timestamp: DomainTime,
    bytes: u64,
    _held: [Held; 2],
}

impl Latest {
    /// `record` has one row, in allocations of its own.
    pub fn new(record: RecordBatch, timestamp: DomainTime) -> Self {
        Self {
            record,
            timestamp,
            bytes: 0,
            _held: [Held::nothing(), Held::nothing()],
        }
    }

    /// The row.
    pub fn record(&self) -> &RecordBatch {
        &self.record
    }

    /// Domain time of its admission.
    pub fn timestamp(&self) -> DomainTime {
        self.timestamp
    }

    /// What it holds, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The same, counted in both budgets, its time at most `latest`.
    pub(super) fn counted(self, budget: &StateBudget, key_bytes: usize, latest: DomainTime) -> Self {
        let bytes = held_bytes(&self.record) + key_bytes as u64 + STATE_OVERHEAD_BYTES;
        Self {
            timestamp: self.timestamp.min(latest),
            record: self.record,
            bytes,
            _held: [budget.node.charge(bytes), budget.states.charge(bytes)],
        }
    }
}

impl fmt::Debug for Latest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Latest")
            .field("timestamp", &self.timestamp)
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}
