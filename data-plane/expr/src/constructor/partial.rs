//! What had been set of the rows that failed: `partial_output` of an error route (companion section 5).

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions, UInt32Array};
use arrow::buffer::BooleanBuffer;
use arrow::compute::take_record_batch;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use nervix_columns::{CONVERTED_BYTES_MAX, NullColumns, concat, filter};

use crate::failure::Failure;

/// Rows in the order in which they failed, each as it was then.
pub(super) struct Partial {
    schema: SchemaRef,
    pieces: Vec<RecordBatch>,
    nulls: NullColumns,
}

impl Partial {
    /// `schema` has every column nullable.
    pub(super) fn new(schema: SchemaRef) -> Self {
        Self {
            schema,
            pieces: Vec::new(),
            nulls: NullColumns::within(CONVERTED_BYTES_MAX),
        }
    }

    /// Keeps the rows of the mask as the slots have them now.
    ///
    /// # Errors
    /// [`ArrowError::MemoryError`] when what is not set of them takes too much.
    pub(super) fn add(
        &mut self,
        failed: &BooleanBuffer,
        slots: &[Option<ArrayRef>],
    ) -> Result<(), ArrowError> {
        let rows = failed.count_set_bits();
        let set: Vec<usize> = (0..slots.len())
            .filter(|index| slots.get(*index).is_some_and(Option::is_some))
            .collect();
        let columns = slots.iter().flatten().cloned().collect();
        let options = RecordBatchOptions::new().with_row_count(Some(failed.len()));
        let schema = Arc::new(self.schema.project(&set)?);
        let kept = filter(
            &RecordBatch::try_new_with_options(schema, columns, &options)?,
            failed,
        )?;
        let mut kept = kept.columns().iter();
        let mut columns = Vec::with_capacity(slots.len());
        for (field, slot) in self.schema.fields().iter().zip(slots) {
            // Nulls are made for the rows that failed alone.
            columns.push(match slot.as_ref().and_then(|_| kept.next()) {
                Some(array) => array.clone(),
                None => self.nulls.column(field.data_type(), rows)?,
            });
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        self.pieces.push(RecordBatch::try_new_with_options(
            self.schema.clone(),
            columns,
            &options,
        )?);
        Ok(())
    }

    /// The rows in ascending order; `failures` are still in the order in which they were found.
    pub(super) fn finish(self, failures: &[Failure]) -> Result<RecordBatch, ArrowError> {
        if self.pieces.is_empty() {
            return Ok(RecordBatch::new_empty(self.schema));
        }
        let found = concat(&self.pieces)?;
        let mut order: Vec<u32> = (0..u32::try_from(found.num_rows()).unwrap_or(u32::MAX)).collect();
        order.sort_by_key(|place| failures.get(*place as usize).map(|failure| failure.row));
        if order.is_sorted() {
            return Ok(found);
        }
        take_record_batch(&found, &UInt32Array::from(order))
    }
}
