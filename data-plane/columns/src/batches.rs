//! Whole batches: joined, filtered, and copied out of a larger parent.
//!
//! A slice shares the allocations of what it was cut from, so ten rows can keep a gigabyte alive. What is
//! kept for long goes through [`compact`], which copies a small slice and leaves everything else shared.

use arrow::array::{Array, ArrayRef, MutableArrayData, RecordBatch, RecordBatchOptions, make_array};
use arrow::buffer::BooleanBuffer;
use arrow::compute::{FilterBuilder, concat_batches};
use arrow::error::ArrowError;

use crate::nulls::mask_array;
use crate::size::{held_bytes, logical_bytes};

#[cfg(test)]
mod tests;

/// A batch is copied out by [`compact`] when it holds more than this many times its logical bytes.
pub const COMPACT_SHARE: u64 = 2;

/// Waste below this many bytes is left alone by [`compact`].
pub const COMPACT_BYTES_MIN: u64 = 4096;

/// The rows of the batches, one after the other; a single batch is returned as it is.
///
/// # Errors
/// When the schemas differ, when there is no batch, or when a column would pass 2^31 - 1 bytes.
pub fn concat(batches: &[RecordBatch]) -> Result<RecordBatch, ArrowError> {
    match batches {
        [] => Err(ArrowError::InvalidArgumentError(
            "there is no batch to join".into(),
        )),
        [only] => Ok(only.clone()),
        [first, ..] => concat_batches(first.schema_ref(), batches),
    }
}

/// The rows that the mask keeps; all of them: the batch as it is.
///
/// # Errors
/// When the mask is not as long as the batch.
pub fn filter(batch: &RecordBatch, keep: &BooleanBuffer) -> Result<RecordBatch, ArrowError> {
    if keep.len() != batch.num_rows() {
        return Err(ArrowError::InvalidArgumentError(
            "a mask must be as long as its batch".into(),
        ));
    }
    let kept = keep.count_set_bits();
    if kept == batch.num_rows() {
        return Ok(batch.clone());
    }
    let predicate = FilterBuilder::new(&mask_array(keep)).optimize().build();
    let columns = batch
        .columns()
        .iter()
        .map(|column| predicate.filter(column.as_ref()));
    with_rows(batch, columns.collect::<Result<Vec<_>, _>>()?, kept)
}

/// The batch in allocations of its own when it keeps alive far more than it needs, else the batch as it is.
///
/// # Errors
/// When Arrow refuses the copy, which a valid batch does not cause.
pub fn compact(batch: RecordBatch) -> Result<RecordBatch, ArrowError> {
    let held = held_bytes(&batch);
    let needed = logical_bytes(&batch);
    if held <= needed.saturating_mul(COMPACT_SHARE) || held - needed <= COMPACT_BYTES_MIN {
        return Ok(batch);
    }
    copy_out(&batch)
}

/// The batch in allocations of its own.
///
/// # Errors
/// When Arrow refuses the copy, which a valid batch does not cause.
pub fn copy_out(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let columns = batch.columns().iter().map(copy_array).collect();
    with_rows(batch, columns, batch.num_rows())
}

fn copy_array(array: &ArrayRef) -> ArrayRef {
    let data = array.to_data();
    let mut copy = MutableArrayData::new(vec![&data], false, data.len());
    copy.extend(0, 0, data.len());
    make_array(copy.freeze())
}

fn with_rows(like: &RecordBatch, columns: Vec<ArrayRef>, rows: usize) -> Result<RecordBatch, ArrowError> {
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(like.schema(), columns, &options)
}
