//! The rows shape: databases measure, write and answer for rows (`emitters.txt`, Database writes).

use arrow::record_batch::RecordBatch;
use futures::future::BoxFuture;

use crate::outcome::{Failure, Outcome, Rejection};

/// Rows of one lane in published order; one column for each entry of VALUES.
pub struct Rows {
    /// The mapped columns.
    pub columns: RecordBatch,
    /// Whether they are a part of a write that was answered with [`RowAnswer::Isolate`], whose rows are written one by one.
    pub isolated: bool,
}

/// What BATCH ... MAX SIZE counts of one write, in parts that add up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measure {
    /// Bytes of a write before it has rows.
    pub write_bytes: u64,
    /// Bytes that each row adds to the write that it is in, in order.
    pub row_bytes: Vec<u64>,
}

/// The destination's own limits on one write, beside those of BATCH.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriteLimits {
    /// What a write is called in messages about its size: `Postgres insert`.
    pub name: &'static str,
    /// The most rows of one write, where there is such a limit.
    pub rows_max: Option<u32>,
    /// The most measured bytes of one write, where there is such a limit.
    pub bytes_max: Option<u64>,
}

/// What a destination said about one write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowAnswer {
    /// One outcome for all rows. Rejected for more than one row means: isolate, write them one by one.
    All(Outcome),
    /// One outcome for each row, in order. Those that are unresolved are written again, the others never.
    Each(Vec<Outcome>),
    /// The write failed for a reason of its rows, and none of them was written: write them one by one. Of a single row it
    /// is its rejection.
    Isolate(Rejection),
    /// Nobody knows: the rows are retried.
    Unresolved(Failure),
}

/// Writes rows.
///
/// The emitter's driver has one write under way at a time and decides which rows it carries: the same at every attempt.
pub trait RowSink: Send {
    /// The destination's own limits.
    fn limits(&self) -> WriteLimits;

    /// Exact bytes of a write of `rows`, row by row: a write of some of them measures `write_bytes` and their `row_bytes`.
    fn measure(&self, rows: &Rows) -> Measure;

    /// Counts how often measures have become others, because what is written to has changed; measures hold within one count.
    fn edition(&self) -> u64 {
        0
    }

    /// Writes `rows`, of which there is at least one, as one insert or bulk write. The future bounds itself; dropping it
    /// gives up what is under way.
    fn write<'a>(&'a mut self, rows: &'a Rows) -> BoxFuture<'a, RowAnswer>;
}
