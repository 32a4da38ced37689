//! Admission: a relay batch enters the emitter.
//!
//! Invariants: the execution snapshot is pinned here and kept over every retry (`emitters.txt`, Branch Semantics): its
//! domain time is the relay batch's, its seed is this admission's own, so that two branches of one written batch, or two
//! emitters of one relay, never make the same uuid. What is admitted counts against the read-ahead bound until it is
//! settled, its own overhead included.

use std::sync::Arc;

use nervix_budget::{Budget, Defer, Held};
use nervix_clock::{DomainClock, PhysicalInstant, Snapshot};
use nervix_columns::{compact, held_bytes, logical_bytes};
use nervix_relay::RelayBatch;

use arrow::record_batch::RecordBatch;
use nervix_ack::Share;

use crate::dependencies::Bound;
use crate::lane::LaneKey;

/// How many bytes an emitter reads ahead, beyond the size boundaries of its COLLECT and FLUSH, before it stops reading its
/// relays: everything that it collects, buffers and retains, and error records on their way (rulings section 9, Head of
/// line). Less where the node's budget has less for one queue, and no more than that for the boundaries.
pub const READ_AHEAD_BYTES: u64 = 32 * 1024 * 1024;
/// What each batch counts besides its rows, so that a bound on bytes bounds the number of batches too.
pub const BATCH_OVERHEAD_BYTES: u64 = 1024;

/// Rows of one relay batch with all that belongs to them.
pub(crate) struct Admitted {
    pub(crate) lane: LaneKey,
    pub(crate) records: RecordBatch,
    pub(crate) share: Share,
    pub(crate) snapshot: Arc<Snapshot>,
    /// What its dependencies were resolved to.
    pub(crate) bound: Bound,
    pub(crate) at: PhysicalInstant,
    /// Logical bytes of the records.
    pub(crate) bytes: u64,
    pub(crate) held: Arc<Held>,
    pub(crate) load: Held,
}

/// Admits relay batches.
pub(crate) struct Admission {
    clock: DomainClock,
    budget: Budget,
    load: Budget,
}

impl Admission {
    /// `boundaries` are the size boundaries that should fit before anything is released, in bytes: as far as one queue may
    /// go, so that an emitter whose boundaries are larger than the node's budget does not keep all of that.
    pub(crate) fn new(clock: DomainClock, budget: Budget, boundaries: u64) -> Self {
        let share = budget.queue_bytes();
        let limit = READ_AHEAD_BYTES.min(share).saturating_add(boundaries.min(share));
        Self {
            clock,
            budget,
            load: Budget::named("emitter read-ahead", limit),
        }
    }

    /// Whether one more batch may be read.
    pub(crate) fn has_room(&self) -> bool {
        self.has_room_without(0)
    }

    /// The same, were so many bytes of what is admitted not there.
    pub(crate) fn has_room_without(&self, bytes: u64) -> bool {
        self.load.used().saturating_sub(bytes) < self.load.limit()
    }

    /// Bytes that are read ahead.
    pub(crate) fn load_bytes(&self) -> u64 {
        self.load.used()
    }

    /// The bound of what is read ahead, in bytes.
    pub(crate) fn load_limit(&self) -> u64 {
        self.load.limit()
    }

    /// Ends when `bytes` that wait for a boundary should leave, since ways in wait for the node's budget.
    pub(crate) fn defer(&self, bytes: u64) -> Defer {
        self.budget.defer(bytes)
    }

    /// Counts `bytes` more against the read-ahead bound.
    pub(crate) fn load(&self, bytes: u64) -> Held {
        self.load.charge(bytes + BATCH_OVERHEAD_BYTES)
    }

    /// Counts `bytes` more against the node's budget.
    pub(crate) fn charge(&self, bytes: u64) -> Held {
        self.budget.charge(bytes)
    }

    pub(crate) fn admit(&self, source: usize, batch: RelayBatch) -> Admitted {
        let bytes = logical_bytes(&batch.records);
        let seed = self.clock.snapshot().seed;
        Admitted {
            lane: LaneKey {
                source,
                branch: batch.branch,
            },
            snapshot: Arc::new(Snapshot {
                domain_time: batch.snapshot.domain_time,
                seed,
            }),
            bound: Bound::default(),
            records: batch.records,
            share: batch.share,
            at: self.clock.physical().now(),
            bytes,
            held: batch.held,
            load: self.load(bytes),
        }
    }

    /// A snapshot of the same time with a seed of its own, for rows that are executed apart.
    fn snapshot_beside(&self, snapshot: &Snapshot) -> Arc<Snapshot> {
        Arc::new(Snapshot {
            domain_time: snapshot.domain_time,
            seed: self.clock.snapshot().seed,
        })
    }
}

impl Admitted {
    /// The first half, which has the odd row, and the rest; neither of them executed yet.
    pub(crate) fn halved(mut self, admission: &Admission) -> (Self, Self) {
        let rows = self.records.num_rows();
        let half = rows.div_ceil(2);
        let records = self.records.slice(0, half);
        let bytes = logical_bytes(&records);
        let load = self.load.bytes() / 2;
        let front = Self {
            lane: self.lane.clone(),
            share: self.share.split_to(half),
            snapshot: self.snapshot.clone(),
            bound: self.bound.clone(),
            at: self.at,
            held: self.held.clone(),
            load: self.load.split(load),
            records,
            bytes,
        };
        self.records = self.records.slice(half, rows - half);
        self.bytes = logical_bytes(&self.records);
        self.snapshot = admission.snapshot_beside(&self.snapshot);
        (front, self)
    }

    /// Copies a small slice out of a large parent before it is kept for long (design section 6).
    pub(crate) fn keep(&mut self, admission: &Admission) {
        if let Some((records, bytes)) = compacted(&self.records) {
            self.records = records;
            self.held = Arc::new(admission.charge(bytes));
        }
    }
}

/// A copy of its own and the bytes that it holds, where `records` keeps far more memory alive than it needs.
pub(crate) fn compacted(records: &RecordBatch) -> Option<(RecordBatch, u64)> {
    let kept = compact(records.clone()).ok()?;
    let shared = records
        .columns()
        .iter()
        .zip(kept.columns())
        .all(|(old, new)| Arc::ptr_eq(old, new));
    (!shared).then(|| {
        let bytes = held_bytes(&kept);
        (kept, bytes)
    })
}

#[cfg(test)]
mod tests {
    use nervix_budget::Budget;
    use nervix_clock::ManualClock;

    use super::{Admission, READ_AHEAD_BYTES};

    const MIB: u64 = 1024 * 1024;

    #[test]
    fn boundaries_widen_the_read_ahead_up_to_the_share_of_one_queue() {
        let limit = |budget: u64, boundaries: u64| {
            let clock = ManualClock::new().domain();
            Admission::new(clock, Budget::new(budget), boundaries)
                .load
                .limit()
        };
        assert_eq!(limit(u64::MAX, 0), READ_AHEAD_BYTES);
        assert_eq!(limit(u64::MAX, 256 * MIB), READ_AHEAD_BYTES + 256 * MIB);
        assert_eq!(limit(128 * MIB, 8 * MIB), 24 * MIB);
        assert_eq!(limit(128 * MIB, 256 * MIB), 32 * MIB);
    }
}
