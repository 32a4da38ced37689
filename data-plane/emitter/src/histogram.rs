//! A histogram of atomics with fixed buckets.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts values by bucket; the last bucket is open.
#[derive(Debug)]
pub(crate) struct Histogram<const N: usize> {
    bounds: [u64; N],
    counts: [AtomicU64; N],
    beyond: AtomicU64,
    sum: AtomicU64,
}

/// A histogram at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HistogramSnapshot {
    /// Inclusive upper bounds of the buckets.
    pub bounds: Vec<u64>,
    /// How many values fell into each bucket, not cumulative; one more than bounds, for what is beyond the last.
    pub counts: Vec<u64>,
    /// Sum of all values.
    pub sum: u64,
    /// Number of all values.
    pub count: u64,
}

impl<const N: usize> Histogram<N> {
    pub(crate) fn new(bounds: [u64; N]) -> Self {
        let counts = std::array::from_fn(|_| AtomicU64::new(0));
        Self {
            bounds,
            counts,
            beyond: AtomicU64::new(0),
            sum: AtomicU64::new(0),
        }
    }

    pub(crate) fn record(&self, value: u64) {
        let bucket = self.bounds.partition_point(|bound| *bound < value);
        self.counts
            .get(bucket)
            .unwrap_or(&self.beyond)
            .fetch_add(1, Ordering::Relaxed);
        self.sum.fetch_add(value, Ordering::Relaxed);
    }

    pub(crate) fn snapshot(&self) -> HistogramSnapshot {
        let all = self.counts.iter().chain([&self.beyond]);
        let counts: Vec<u64> = all.map(|count| count.load(Ordering::Relaxed)).collect();
        let count = counts.iter().sum();
        HistogramSnapshot {
            bounds: self.bounds.to_vec(),
            counts,
            sum: self.sum.load(Ordering::Relaxed),
            count,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Histogram;

    #[test]
    fn bounds_are_inclusive_and_the_last_bucket_is_open() {
        let histogram = Histogram::new([10, 20]);
        for value in [0, 10, 11, 20, 21, 1_000] {
            histogram.record(value);
        }
        let read = histogram.snapshot();
        assert_eq!(read.counts, [2, 2, 2]);
        assert_eq!((read.sum, read.count), (1_062, 6));
    }
}
