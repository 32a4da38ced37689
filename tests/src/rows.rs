//! Small record batches for tests.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};

use crate::wait::must;

/// A batch of the schema `(id I64, origin STRING)`.
///
/// # Panics
/// Never: the columns have one length.
pub fn ids(range: std::ops::Range<i64>, origin: &str) -> RecordBatch {
    let rows = range.clone().count();
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(range));
    let origins: ArrayRef = Arc::new(StringArray::from_iter_values(std::iter::repeat_n(origin, rows)));
    let named = [("id", ids, false), ("origin", origins, false)];
    must("build a batch", RecordBatch::try_from_iter_with_nullable(named))
}

/// The values of column `id`.
///
/// # Panics
/// When the batch has no such column of I64.
pub fn read_ids(batch: &RecordBatch) -> Vec<i64> {
    let column = batch
        .column_by_name("id")
        .and_then(|column| column.as_any().downcast_ref::<Int64Array>());
    match column {
        Some(ids) => ids.values().to_vec(),
        None => panic!("no I64 column `id` in {:?}", batch.schema()),
    }
}
