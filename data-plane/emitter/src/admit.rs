//! Admission: a relay batch enters the emitter.
//!
//! Invariants: the execution snapshot is pinned here and kept over every retry (`emitters.txt`, Branch Semantics): its
//! domain time is the relay batch's, its seed is this admission's own, so that two branches of one written batch, or two
//! emitters of one relay, never make the same uuid. What is admitted counts against the read-ahead bound until it is
//! settled, its own overhead included.

use std::sync::Arc;

use nervix_budget::{Budget, Held};
use nervix_clock::{DomainClock, PhysicalInstant, Snapshot};
use nervix_columns::{compact, held_bytes, logical_bytes};
use nervix_relay::RelayBatch;

use arrow::record_batch::RecordBatch;
use nervix_ack::Share;

use crate::dependencies::Bound;
use crate::lane::LaneKey;

/// How many bytes an emitter reads ahead, beyond the size boundaries of its COLLECT and FLUSH, before it stops reading its
/// relays: everything that it collects, buffers and retains, and error records on their way (rulings section 9, Head of
/// line).
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
    pub(crate) _load: Held,
}

/// Admits relay batches.
pub(crate) struct Admission {
    clock: DomainClock,
    budget: Budget,
    load: Budget,
}

impl Admission {
    /// `boundaries` are the size boundaries that have to fit before anything is released, in bytes.
    pub(crate) fn new(clock: DomainClock, budget: Budget, boundaries: u64) -> Self {
        let limit = READ_AHEAD_BYTES.saturating_add(boundaries);
        Self {
            clock,
            budget,
            load: Budget::named("emitter read-ahead", limit),
        }
    }

    /// Whether one more batch may be read.
    pub(crate) fn has_room(&self) -> bool {
        self.load.used() < self.load.limit()
    }

    /// Bytes that are read ahead.
    pub(crate) fn load_bytes(&self) -> u64 {
        self.load.used()
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
            _load: self.load(bytes),
        }
    }
}

impl Admitted {
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
