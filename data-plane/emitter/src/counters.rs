//! What an emitter counts over all its runs (companion sections 15 and 16).
//!
//! Invariant (X11): received = sent + rejected + filtered + skipped + unresolved + pending, where pending is what the live run
//! still holds. Counters only grow; they belong to the node, are handed to each run of the emitter, and never carry a
//! value of a record.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use nspl_model::record_error::{ErrorCode, Operation};

use crate::histogram::{Histogram, HistogramSnapshot};

/// Upper bounds of the buckets of delivery latency, in microseconds.
pub const LATENCY_BUCKETS_US: [u64; 14] = [
    250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 5_000_000,
    30_000_000,
];
/// Upper bounds of the buckets of messages per batch.
pub const MESSAGES_BUCKETS: [u64; 9] = [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536];

const CODES: usize = ErrorCode::ALL.len();
const OPERATIONS: usize = Operation::ALL.len();

/// Counters of one emitter on one node.
#[derive(Debug)]
pub struct EmitterCounters {
    received: Flow,
    sent: Flow,
    filtered: AtomicU64,
    skipped: AtomicU64,
    unresolved: AtomicU64,
    retries: AtomicU64,
    lost: AtomicU64,
    error_records: AtomicU64,
    rejected: [[AtomicU64; OPERATIONS]; CODES],
    latency_us: Histogram<{ LATENCY_BUCKETS_US.len() }>,
    messages_per_batch: Histogram<{ MESSAGES_BUCKETS.len() }>,
}

#[derive(Debug, Default)]
struct Flow {
    messages: AtomicU64,
    batches: AtomicU64,
    bytes: AtomicU64,
}

/// Messages, batches and logical Arrow bytes that went one way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FlowCount {
    /// Source records.
    pub messages: u64,
    /// Batches: relay batches in, payloads out.
    pub batches: u64,
    /// Logical Arrow bytes: of the source records in, of the finished records out.
    pub bytes: u64,
}

/// Records that followed ON MESSAGE ERROR, by what `error` says of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RejectedCount {
    /// `error.code`.
    pub code: ErrorCode,
    /// `error.operation`.
    pub operation: Operation,
    /// How many records.
    pub messages: u64,
}

/// All counters at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CounterSnapshot {
    /// What came from the source relays.
    pub received: FlowCount,
    /// What the destination confirmed.
    pub sent: FlowCount,
    /// Records that a WHERE dropped.
    pub filtered: u64,
    /// Records that REQUIRED SKIP dropped.
    pub skipped: u64,
    /// Records given back unresolved when a run ended.
    pub unresolved: u64,
    /// Payloads that were sent again.
    pub retries: u64,
    /// Payloads that a client without confirmations had taken, and that went with it unsent.
    pub lost: u64,
    /// Error records handed to the error relay.
    pub error_records: u64,
    /// Records that followed ON MESSAGE ERROR; only pairs that occurred.
    pub rejected: Vec<RejectedCount>,
    /// From the admission of a payload's oldest member to its confirmation, in microseconds.
    pub latency_us: HistogramSnapshot,
    /// Members of the payloads that were confirmed.
    pub messages_per_batch: HistogramSnapshot,
}

impl CounterSnapshot {
    /// Records that followed ON MESSAGE ERROR, all together.
    pub fn rejected_messages(&self) -> u64 {
        self.rejected.iter().map(|rejected| rejected.messages).sum()
    }
}

impl Default for EmitterCounters {
    fn default() -> Self {
        Self {
            received: Flow::default(),
            sent: Flow::default(),
            filtered: AtomicU64::new(0),
            skipped: AtomicU64::new(0),
            unresolved: AtomicU64::new(0),
            retries: AtomicU64::new(0),
            lost: AtomicU64::new(0),
            error_records: AtomicU64::new(0),
            rejected: Default::default(),
            latency_us: Histogram::new(LATENCY_BUCKETS_US),
            messages_per_batch: Histogram::new(MESSAGES_BUCKETS),
        }
    }
}

impl EmitterCounters {
    /// Reads all counters.
    pub fn snapshot(&self) -> CounterSnapshot {
        let mut rejected = Vec::new();
        for code in ErrorCode::ALL {
            for operation in Operation::ALL {
                let messages = self.rejected[code as usize][operation as usize].load(Ordering::Relaxed);
                if messages > 0 {
                    rejected.push(RejectedCount {
                        code,
                        operation,
                        messages,
                    });
                }
            }
        }
        CounterSnapshot {
            received: self.received.read(),
            sent: self.sent.read(),
            filtered: self.filtered.load(Ordering::Relaxed),
            skipped: self.skipped.load(Ordering::Relaxed),
            unresolved: self.unresolved.load(Ordering::Relaxed),
            retries: self.retries.load(Ordering::Relaxed),
            lost: self.lost.load(Ordering::Relaxed),
            error_records: self.error_records.load(Ordering::Relaxed),
            rejected,
            latency_us: self.latency_us.snapshot(),
            messages_per_batch: self.messages_per_batch.snapshot(),
        }
    }

    pub(crate) fn received(&self, messages: u64, bytes: u64) {
        self.received.add(messages, bytes);
    }

    pub(crate) fn sent(&self, messages: u64, bytes: u64, latency: Duration) {
        self.sent.add(messages, bytes);
        self.messages_per_batch.record(messages);
        self.latency_us
            .record(u64::try_from(latency.as_micros()).unwrap_or(u64::MAX));
    }

    pub(crate) fn filtered(&self, messages: u64) {
        self.filtered.fetch_add(messages, Ordering::Relaxed);
    }

    pub(crate) fn skipped(&self, messages: u64) {
        self.skipped.fetch_add(messages, Ordering::Relaxed);
    }

    pub(crate) fn unresolved(&self, messages: u64) {
        self.unresolved.fetch_add(messages, Ordering::Relaxed);
    }

    pub(crate) fn retried(&self) {
        self.retries.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn lost(&self, payloads: u64) {
        self.lost.fetch_add(payloads, Ordering::Relaxed);
    }

    pub(crate) fn error_records(&self, records: u64) {
        self.error_records.fetch_add(records, Ordering::Relaxed);
    }

    pub(crate) fn rejected(&self, code: ErrorCode, operation: Operation, messages: u64) {
        self.rejected[code as usize][operation as usize].fetch_add(messages, Ordering::Relaxed);
    }
}

impl Flow {
    fn add(&self, messages: u64, bytes: u64) {
        self.messages.fetch_add(messages, Ordering::Relaxed);
        self.batches.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    fn read(&self) -> FlowCount {
        FlowCount {
            messages: self.messages.load(Ordering::Relaxed),
            batches: self.batches.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use nspl_model::record_error::{ErrorCode, Operation};

    use super::{EmitterCounters, FlowCount, RejectedCount};

    #[test]
    fn counters_tell_what_was_rejected_by_code_and_operation() {
        let counters = EmitterCounters::default();
        counters.received(5, 100);
        counters.sent(3, 60, Duration::from_micros(300));
        counters.rejected(ErrorCode::External, Operation::Publish, 2);
        let read = counters.snapshot();
        assert_eq!(
            read.received,
            FlowCount {
                messages: 5,
                batches: 1,
                bytes: 100
            }
        );
        let expected = RejectedCount {
            code: ErrorCode::External,
            operation: Operation::Publish,
            messages: 2,
        };
        assert_eq!(read.rejected, [expected]);
        assert_eq!(
            read.latency_us.counts[1], 1,
            "300 us is in the bucket up to 500 us"
        );
        assert_eq!((read.latency_us.sum, read.latency_us.count), (300, 1));
    }
}
