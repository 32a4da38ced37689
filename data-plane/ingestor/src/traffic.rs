//! What passes through an ingestor, counted (companion.md section 16).
//!
//! Invariant: counters only grow and survive restarts of the task; rows that are filtered, rejected or published are
//! counted where that happens, once for each route. No count is kept by a value of a record.

use std::sync::atomic::{AtomicU64, Ordering};

use nspl_model::record_error::{ErrorCode, Operation};

/// Upper bounds of the buckets of `nervix_messages_per_batch`.
pub const ROWS_BUCKETS: [u64; 9] = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536];

/// Messages, batches and bytes of one direction.
#[derive(Debug, Default)]
pub struct Flow {
    messages: AtomicU64,
    batches: AtomicU64,
    bytes: AtomicU64,
}

impl Flow {
    /// Counts one batch.
    pub fn count(&self, messages: usize, bytes: u64) {
        self.messages.fetch_add(messages as u64, Ordering::Relaxed);
        self.batches.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Messages so far.
    pub fn messages(&self) -> u64 {
        self.messages.load(Ordering::Relaxed)
    }

    /// Batches so far.
    pub fn batches(&self) -> u64 {
        self.batches.load(Ordering::Relaxed)
    }

    /// Logical bytes so far.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }
}

/// A histogram with fixed buckets.
#[derive(Debug, Default)]
pub struct RowsHistogram {
    buckets: [AtomicU64; ROWS_BUCKETS.len()],
    above: AtomicU64,
    sum: AtomicU64,
}

impl RowsHistogram {
    /// Counts one batch of `rows` rows.
    pub fn observe(&self, rows: usize) {
        let rows = rows as u64;
        let bucket = ROWS_BUCKETS.iter().position(|bound| rows <= *bound);
        let place = bucket.and_then(|at| self.buckets.get(at)).unwrap_or(&self.above);
        place.fetch_add(1, Ordering::Relaxed);
        self.sum.fetch_add(rows, Ordering::Relaxed);
    }

    /// Upper bound and count of each bucket, the last without bound.
    pub fn buckets(&self) -> Vec<(f64, u64)> {
        let bounded = ROWS_BUCKETS.iter().zip(&self.buckets);
        let mut all: Vec<(f64, u64)> = bounded
            .map(|(bound, count)| (*bound as f64, count.load(Ordering::Relaxed)))
            .collect();
        all.push((f64::MAX, self.above.load(Ordering::Relaxed)));
        all
    }

    /// Rows of all batches.
    pub fn sum(&self) -> u64 {
        self.sum.load(Ordering::Relaxed)
    }
}

/// Everything that is counted of one ingestor.
#[derive(Debug, Default)]
pub struct IngestorTraffic {
    /// What writers sent.
    pub written: Flow,
    /// What went into relays, counted for each route.
    pub published: Flow,
    /// Error records that went into error relays.
    pub errors: Flow,
    /// Rows of the batches that were written.
    pub rows: RowsHistogram,
    filtered: AtomicU64,
    rejected: [[AtomicU64; Operation::ALL.len()]; ErrorCode::ALL.len()],
}

impl IngestorTraffic {
    /// Counts rows that FILTER or a route's WHERE dropped.
    pub fn count_filtered(&self, rows: usize) {
        self.filtered.fetch_add(rows as u64, Ordering::Relaxed);
    }

    /// Rows that FILTER or a route's WHERE dropped.
    pub fn filtered(&self) -> u64 {
        self.filtered.load(Ordering::Relaxed)
    }

    /// Counts one record that failed.
    pub fn count_rejected(&self, code: ErrorCode, operation: Operation) {
        let code = ErrorCode::ALL.iter().position(|one| *one == code);
        let operation = Operation::ALL.iter().position(|one| *one == operation);
        if let (Some(code), Some(operation)) = (code, operation)
            && let Some(place) = self.rejected.get(code).and_then(|row| row.get(operation))
        {
            place.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Records that failed, by code and operation; pairs that never happened are left out.
    pub fn rejected(&self) -> Vec<(ErrorCode, Operation, u64)> {
        let mut counts = Vec::new();
        for (code, row) in ErrorCode::ALL.iter().zip(&self.rejected) {
            for (operation, count) in Operation::ALL.iter().zip(row) {
                let count = count.load(Ordering::Relaxed);
                if count > 0 {
                    counts.push((*code, *operation, count));
                }
            }
        }
        counts
    }
}
