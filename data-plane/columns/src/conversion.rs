//! What a writer sent, taken into the exact form (flight.md, "Types on the wire").
//!
//! [`Conversion::plan`] judges the writer's schema once per stream and names every difference at once;
//! [`Conversion::convert`] takes one batch. Where the writer's form is already exact, nothing is copied.
//!
//! Invariant: a value either converts exactly or its row is rejected; a row is never dropped silently and
//! never filled with a value that the writer did not send.

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow::buffer::BooleanBuffer;
use arrow::datatypes::{Schema as ArrowSchema, SchemaRef};
use arrow::error::ArrowError;
use nspl_model::Schema;

use crate::batches::filter;
use crate::nulls::{null_array, null_bytes, null_mask, nullify};
use crate::types::{arrow_schema, nullable_schema};

mod dictionary;
mod difference;
mod list;
mod reading;
mod rejected;

#[cfg(test)]
mod tests;

pub use difference::{Difference, Differences};
pub use rejected::{Reason, Rejected, Rejection};

use reading::{Allowance, Reading};

/// Bytes that dictionaries, views and left-out fields of one batch may unfold to, unless [`Conversion::with_bytes_max`] says
/// otherwise. A few bytes of keys can name the same large value again and again.
pub const CONVERTED_BYTES_MAX: u64 = 1 << 30;

/// Why a whole batch could not be taken.
#[derive(Debug, thiserror::Error)]
pub enum ConversionError {
    /// Dictionaries, views, overlapping lists or left-out fields unfold to more than is allowed.
    #[error("the batch unfolds to more than {bytes_max} bytes; send fewer rows in a batch")]
    TooLarge {
        /// The bound, in bytes.
        bytes_max: u64,
    },
    /// The batch does not have the schema that its stream began with.
    #[error("the batch does not have the schema that its stream began with")]
    OtherSchema,
    /// Arrow refused a form that the plan had accepted.
    #[error("the batch is not well-formed")]
    Malformed(#[source] ArrowError),
}

impl From<ArrowError> for ConversionError {
    fn from(error: ArrowError) -> Self {
        Self::Malformed(error)
    }
}

/// How batches of one writer's schema become batches of an NSPL schema.
#[derive(Debug, Clone)]
pub struct Conversion {
    source: SchemaRef,
    target: SchemaRef,
    columns: Vec<Column>,
    bytes_max: u64,
}

/// Where one field of the target comes from.
#[derive(Debug, Clone)]
enum Column {
    /// The writer has it, at this position.
    Sent { index: usize, reading: Reading },
    /// An OPTIONAL field that the writer left out.
    Missing,
}

/// One batch after conversion.
#[derive(Debug, Clone)]
pub struct Converted {
    /// The accepted rows, in order, in the exact schema.
    pub batch: RecordBatch,
    /// Which of the writer's rows were accepted and which not; `None` when all were.
    pub rejected: Option<Rejected>,
}

impl Conversion {
    /// Judges a writer's schema against the schema of an ingestor.
    ///
    /// # Errors
    /// Every field that is missing, unexpected, doubled or of another type, all at once.
    pub fn plan(source: &SchemaRef, target: &Schema) -> Result<Self, Differences> {
        let mut differences = difference::names(source, target);
        let mut columns = Vec::with_capacity(target.fields.len());
        for field in &target.fields {
            let mut sent = source
                .fields()
                .iter()
                .enumerate()
                .filter(|(_, sent)| *sent.name() == field.name);
            let Some((index, sent)) = sent.next() else {
                columns.push(Column::Missing);
                continue;
            };
            match Reading::plan(sent.data_type(), &field.data_type) {
                Some(reading) => columns.push(Column::Sent { index, reading }),
                None => differences.push(Difference::other_type(field, sent.data_type())),
            }
        }
        if !differences.is_empty() {
            return Err(Differences::new(differences));
        }
        let target = arrow_schema(target);
        Ok(Self {
            source: source.clone(),
            target,
            columns,
            bytes_max: CONVERTED_BYTES_MAX,
        })
    }

    /// The same plan with another bound on what a batch may unfold to, in bytes.
    pub fn with_bytes_max(mut self, bytes_max: u64) -> Self {
        self.bytes_max = bytes_max.min(CONVERTED_BYTES_MAX);
        self
    }

    /// The exact schema that converted batches have.
    pub fn schema(&self) -> &SchemaRef {
        &self.target
    }

    /// Takes one batch of the writer.
    ///
    /// # Errors
    /// [`ConversionError`] concerns the batch as a whole; what concerns a row is in [`Converted::rejected`].
    pub fn convert(&self, batch: &RecordBatch) -> Result<Converted, ConversionError> {
        if !same_types(batch.schema_ref(), &self.source) {
            return Err(ConversionError::OtherSchema);
        }
        let mut allowance = Allowance::new(self.bytes_max);
        let mut columns = Vec::with_capacity(self.columns.len());
        let mut faults = Vec::new();
        for (position, column) in self.columns.iter().enumerate() {
            let field = self.target.field(position);
            let (array, unfit) = match column {
                Column::Missing => {
                    allowance.spend(null_bytes(field.data_type(), batch.num_rows()))?;
                    (null_array(field.data_type(), batch.num_rows()), None)
                }
                Column::Sent { index, reading } => {
                    let read = reading.read(batch.column(*index), field.data_type(), &mut allowance)?;
                    (read.array, read.unfit)
                }
            };
            if let Some(rows) = null_mask(array.as_ref()).filter(|_| !field.is_nullable()) {
                faults.push(Fault {
                    column: position,
                    reason: Reason::Null,
                    rows,
                });
            }
            if let Some(rows) = unfit.filter(|rows| rows.count_set_bits() > 0) {
                faults.push(Fault {
                    column: position,
                    reason: Reason::Inexact,
                    rows,
                });
            }
            columns.push(array);
        }
        self.separate(batch.num_rows(), columns, &faults)
    }

    fn separate(
        &self,
        rows: usize,
        columns: Vec<ArrayRef>,
        faults: &[Fault],
    ) -> Result<Converted, ConversionError> {
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let Some(bad) = faults
            .iter()
            .map(|fault| fault.rows.clone())
            .reduce(|all, one| &all | &one)
        else {
            let batch = RecordBatch::try_new_with_options(self.target.clone(), columns, &options)?;
            return Ok(Converted {
                batch,
                rejected: None,
            });
        };
        let accepted = !&bad;
        let nullable = nullable_schema(&self.target);
        let mut shown = columns.clone();
        for fault in faults.iter().filter(|fault| fault.reason == Reason::Inexact) {
            if let Some(column) = shown.get_mut(fault.column) {
                *column = nullify(column, &fault.rows)?;
            }
        }
        let records = filter(
            &RecordBatch::try_new_with_options(nullable.clone(), shown, &options)?,
            &bad,
        )?;
        let kept = filter(
            &RecordBatch::try_new_with_options(nullable, columns, &options)?,
            &accepted,
        )?;
        let options = RecordBatchOptions::new().with_row_count(Some(kept.num_rows()));
        let batch =
            RecordBatch::try_new_with_options(self.target.clone(), kept.columns().to_vec(), &options)?;
        let rows = rejections(&self.target, &bad, faults);
        Ok(Converted {
            batch,
            rejected: Some(Rejected {
                accepted,
                rows,
                records,
            }),
        })
    }
}

/// The rows of one column that cannot be taken, and why.
struct Fault {
    column: usize,
    reason: Reason,
    rows: BooleanBuffer,
}

fn rejections(schema: &ArrowSchema, bad: &BooleanBuffer, faults: &[Fault]) -> Vec<Rejection> {
    bad.set_indices()
        .map(|row| {
            let mut of_row = faults.iter().filter(|fault| fault.rows.value(row));
            let reason = of_row.clone().next().map_or(Reason::Null, |fault| fault.reason);
            let mut fields: Vec<String> = of_row
                .by_ref()
                .map(|fault| schema.field(fault.column).name().clone())
                .collect();
            fields.sort_unstable();
            fields.dedup();
            Rejection {
                row: u32::try_from(row).unwrap_or(u32::MAX),
                reason,
                fields,
            }
        })
        .collect()
}

fn same_types(one: &ArrowSchema, other: &ArrowSchema) -> bool {
    one.fields().len() == other.fields().len()
        && one
            .fields()
            .iter()
            .zip(other.fields())
            .all(|(one, other)| one.data_type() == other.data_type())
}
