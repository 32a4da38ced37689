//! The staged shape: batches are staged locally, and a commit makes them visible (Iceberg).

use arrow::record_batch::RecordBatch;
use futures::future::BoxFuture;

use crate::outcome::{Failure, Outcome};

/// A batch to be staged.
pub struct StagedBatch {
    /// The typed records.
    pub records: RecordBatch,
}

/// Stages and commits.
pub trait StagedSink: Send {
    /// Stages a batch; nothing of it is visible yet.
    ///
    /// # Errors
    /// The failure that kept the batch from being staged; nothing of it is staged then.
    fn stage<'a>(&'a mut self, batch: &'a StagedBatch) -> BoxFuture<'a, Result<(), Failure>>;

    /// Commits what is staged: the completion point of all of it.
    fn commit(&mut self) -> BoxFuture<'_, Outcome>;
}
