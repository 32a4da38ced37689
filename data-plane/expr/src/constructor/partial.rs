//! What had been set of the rows that failed: `partial_output` of an error route (companion section 5).

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions, UInt32Array};
use arrow::buffer::BooleanBuffer;
use arrow::compute::take_record_batch;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use nervix_columns::{concat, filter, null_array};

use crate::failure::Failure;

/// Rows in the order in which they failed, each as it was then.
pub(super) struct Partial {
    schema: SchemaRef,
    pieces: Vec<RecordBatch>,
}

impl Partial {
    /// `schema` has every column nullable.
    pub(super) fn new(schema: SchemaRef) -> Self {
        Self {
            schema,
            pieces: Vec::new(),
        }
    }

    /// Keeps the rows of the mask as the slots have them now.
    pub(super) fn add(
        &mut self,
        failed: &BooleanBuffer,
        slots: &[Option<ArrayRef>],
    ) -> Result<(), ArrowError> {
        let fields = self.schema.fields().iter();
        let columns = fields.zip(slots).map(|(field, slot)| match slot {
            Some(array) => array.clone(),
            None => null_array(field.data_type(), failed.len()),
        });
        let options = RecordBatchOptions::new().with_row_count(Some(failed.len()));
        let whole = RecordBatch::try_new_with_options(self.schema.clone(), columns.collect(), &options)?;
        self.pieces.push(filter(&whole, failed)?);
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
