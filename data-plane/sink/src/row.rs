//! The rows shape: databases measure, write and answer for rows.

use arrow::record_batch::RecordBatch;
use futures::future::BoxFuture;

use crate::outcome::{Failure, Outcome, Rejection};

/// Rows of one lane in published order; one column for each entry of VALUES.
pub struct Rows {
    /// The mapped columns.
    pub columns: RecordBatch,
}

/// What a destination said about one write of many rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowAnswer {
    /// One outcome for all rows. Rejected means: isolate, write the rows one by one.
    All(Outcome),
    /// One outcome for each row, in order.
    Each(Vec<Outcome>),
    /// The write failed for a reason of its rows: write them one by one.
    Isolate(Rejection),
    /// Nobody knows: the rows are retried.
    Unresolved(Failure),
}

/// Writes rows.
pub trait RowSink: Send {
    /// Exact bytes that MAX SIZE counts for one write of `rows` (`emitters.txt`, Database writes).
    fn measure(&self, rows: &Rows) -> u64;

    /// Writes `rows` as one insert or bulk write.
    fn write<'a>(&'a mut self, rows: &'a Rows) -> BoxFuture<'a, RowAnswer>;
}
