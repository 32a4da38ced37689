//! The staged shape: records are staged on this node, and a commit makes all that is staged visible (`emitters.txt`,
//! Iceberg).
//!
//! Invariant: what is staged belongs to one commit, which has one id over all its attempts. Nothing is staged between an
//! attempt that stayed unresolved and the next one, so a destination that writes the id beside its records can find out
//! whether an earlier attempt went through.

use arrow::record_batch::RecordBatch;
use futures::future::BoxFuture;

use crate::outcome::{Failure, Outcome, Rejection};
use crate::payload::PayloadId;

/// What is staged at once: the records of a flush, in published order, in the output schema.
#[derive(Debug, Clone)]
pub struct StagedBatch {
    /// None of them empty.
    pub records: Vec<RecordBatch>,
}

/// What became of a batch that was to be staged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Staging {
    /// It is staged, but for the rows that the table cannot hold.
    Staged {
        /// What COMMIT ... MAX SIZE counts of it: the size of what was written on this node.
        bytes: u64,
        /// Rows that are in no commit, in order and counted over all record batches; each follows ON MESSAGE ERROR alone.
        refused: Vec<RefusedRow>,
    },
    /// Nothing of it is staged.
    Failed(Failure),
}

/// A row that a table cannot hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedRow {
    /// Its position, from 0.
    pub row: usize,
    /// Why.
    pub rejection: Rejection,
}

/// Stages and commits. What is staged is gone when the sink is dropped.
pub trait StagedSink: Send {
    /// Stages a batch beside what is staged already; nothing of it is visible.
    fn stage<'a>(&'a mut self, batch: &'a StagedBatch) -> BoxFuture<'a, Staging>;

    /// Commits all that is staged: the completion point of all of it. Delivered and rejected leave nothing staged;
    /// unresolved leaves everything as it is, and the same commit is called for again. Rejected is for what the records
    /// themselves are at fault for: a table that is gone, or was changed, is unresolved.
    fn commit(&mut self, commit: PayloadId) -> BoxFuture<'_, Outcome>;
}
