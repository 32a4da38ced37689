//! SEND TO: error records from failed source rows (companion section 6).
//!
//! Invariants: SET is evaluated over `input`, `relay_state`, `partial_output` and `error` with the execution snapshot of the failed
//! row; a record that cannot be built takes no part in the error batch. Columns that SET does not read are not kept.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow::datatypes::{DataType, Field, Schema as ArrowSchema, SchemaRef};
use arrow::error::ArrowError;
use nervix_clock::Snapshot;
use nervix_columns::{CONVERTED_BYTES_MAX, NullColumns, arrow_schema, null_array, nullable_schema};
use nervix_expr::{CompileError, Constructed, Constructor, Failure, Frame, error_records};
use nervix_relay::Relay;
use nspl_model::{ErrorRoute as ErrorRouteDef, Schema, Scope};

use crate::dependencies::Bound;

/// A compiled SEND TO.
pub(crate) struct ErrorRoute {
    relay: Arc<Relay>,
    constructor: Constructor,
    input: Kept,
    partial: Kept,
}

/// The columns of a record that SET reads; the others stand as columns of nulls, which hold no memory.
struct Kept {
    columns: Vec<bool>,
    schema: SchemaRef,
}

/// Rows of one snapshot that failed, as an error route sees them.
pub(crate) struct FailedRows<'a> {
    pub(crate) input: Option<&'a RecordBatch>,
    pub(crate) partial: Option<&'a RecordBatch>,
    pub(crate) failures: &'a [Failure],
    /// `error.reference`, one for each row.
    pub(crate) references: &'a [String],
    pub(crate) snapshot: &'a Snapshot,
    /// The states that the rows were bound to.
    pub(crate) bound: &'a Bound,
}

impl ErrorRoute {
    /// Compiles the route; `schemas` are those of the source rows and of the output.
    pub(crate) fn compile(
        def: &ErrorRouteDef,
        relay: Arc<Relay>,
        schemas: (Arc<Schema>, Arc<Schema>),
    ) -> Result<Self, CompileError> {
        let (input, output) = schemas;
        let reads = |scope: &Scope, index: usize| {
            let mut fields = def.set.iter().flat_map(|assignment| assignment.expr.fields());
            fields.any(|field| field.scope == *scope && field.index == index)
        };
        let columns = |scope: Scope, schema: &Schema| -> Vec<bool> {
            (0..schema.fields.len())
                .map(|index| reads(&scope, index))
                .collect()
        };
        Ok(Self {
            constructor: Constructor::assignments(&def.set, &def.relay.schema)?.without_partial_output(),
            input: Kept::new(columns(Scope::Input, &input), &arrow_schema(&input)),
            partial: Kept::new(
                columns(Scope::PartialOutput, &output),
                &nullable_schema(&arrow_schema(&output)),
            ),
            relay,
        })
    }

    pub(crate) fn relay(&self) -> &Arc<Relay> {
        &self.relay
    }

    /// What has to be kept of source rows; none when SET reads nothing of them.
    pub(crate) fn keep_input(&self, records: &RecordBatch) -> Result<Option<RecordBatch>, ArrowError> {
        self.input.of(records)
    }

    /// What has to be kept of finished or partial records; none when SET reads nothing of them.
    pub(crate) fn keep_partial(&self, records: &RecordBatch) -> Result<Option<RecordBatch>, ArrowError> {
        self.partial.of(records)
    }

    /// Whether SET reads anything of the output.
    pub(crate) fn reads_partial(&self) -> bool {
        self.partial.any()
    }

    /// Builds the error records.
    pub(crate) fn build(&self, rows: &FailedRows<'_>) -> Result<Constructed, ArrowError> {
        let references = rows.references.iter().map(String::as_str);
        let error = error_records(rows.failures.iter().zip(references), rows.snapshot)?;
        let input = self.input.or_nothing(rows.input, rows.failures.len())?;
        let partial = self.partial.or_nothing(rows.partial, rows.failures.len())?;
        let states = rows.bound.relay_state();
        let frame = Frame::of_input(&input, rows.snapshot)
            .with_error(&error, &partial)
            .with_relay_state(&states);
        self.constructor.construct(&frame)
    }
}

impl Kept {
    fn new(columns: Vec<bool>, schema: &SchemaRef) -> Self {
        let fields = schema.fields().iter().zip(&columns).map(|(field, kept)| {
            let void = || Arc::new(Field::new(field.name(), DataType::Null, true));
            if *kept { field.clone() } else { void() }
        });
        let schema = Arc::new(ArrowSchema::new(fields.collect::<Vec<_>>()));
        Self { columns, schema }
    }

    fn any(&self) -> bool {
        self.columns.contains(&true)
    }

    fn of(&self, records: &RecordBatch) -> Result<Option<RecordBatch>, ArrowError> {
        if !self.any() {
            return Ok(None);
        }
        let rows = records.num_rows();
        let column = |(column, kept): (&ArrayRef, &bool)| {
            if *kept {
                column.clone()
            } else {
                null_array(&DataType::Null, rows)
            }
        };
        let columns = records.columns().iter().zip(&self.columns).map(column).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(self.schema.clone(), columns, &options).map(Some)
    }

    /// The kept rows, or rows of nulls where nothing was set of them.
    fn or_nothing(&self, records: Option<&RecordBatch>, rows: usize) -> Result<RecordBatch, ArrowError> {
        if let Some(records) = records {
            return Ok(records.clone());
        }
        let nullable: Vec<_> = self
            .schema
            .fields()
            .iter()
            .map(|field| field.as_ref().clone().with_nullable(true))
            .collect();
        let mut nulls = NullColumns::within(CONVERTED_BYTES_MAX);
        let columns = nullable.iter();
        let columns = columns.map(|field| nulls.column(field.data_type(), rows));
        let columns = columns.collect::<Result<Vec<_>, _>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Arc::new(ArrowSchema::new(nullable)), columns, &options)
    }
}
