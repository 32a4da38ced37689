//! Source rows that failed in one stage, all of one relay batch.
//!
//! Invariant: row i of the share failed with `failures[i]`; what the error route reads of it is row i of the batches.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::buffer::BooleanBuffer;
use arrow::error::ArrowError;
use nervix_ack::Share;
use nervix_clock::Snapshot;
use nervix_columns::filter;
use nervix_expr::Failure;

use crate::dependencies::Bound;
use crate::lane::LaneKey;
use crate::plan::Policy;

/// Failed rows.
pub(crate) struct Failed {
    pub(crate) lane: LaneKey,
    pub(crate) share: Share,
    pub(crate) snapshot: Arc<Snapshot>,
    pub(crate) bound: Bound,
    pub(crate) input: Option<RecordBatch>,
    pub(crate) partial: Option<RecordBatch>,
    pub(crate) failures: Vec<Failure>,
}

/// What the error route of `policy` reads of the rows of `input` that `failed` names.
pub(crate) fn failed_input(
    policy: &Policy,
    input: &RecordBatch,
    failed: &BooleanBuffer,
) -> Result<Option<RecordBatch>, ArrowError> {
    let Some(route) = policy.error_route() else {
        return Ok(None);
    };
    route
        .keep_input(input)?
        .map(|kept| filter(&kept, failed))
        .transpose()
}
