//! What an expression reads: the columns of its scopes and the execution snapshot (companion section 5).

use arrow::array::{ArrayRef, RecordBatch};
use nervix_clock::Snapshot;

/// The columns of every scope, row for row, and the snapshot that volatile functions read.
///
/// A snapshot belongs to one batch: two batches that are evaluated with the same snapshot give the same values
/// of `uuid_v4()` in the same row numbers.
#[derive(Clone, Copy)]
pub struct Frame<'a> {
    /// How many rows there are; every column below has as many.
    pub rows: usize,
    /// The source rows: `input`.
    pub input: &'a RecordBatch,
    /// The record under construction, or the finished one: `output`, by position in its schema. `None` is a
    /// field that is not set (yet).
    pub output: &'a [Option<ArrayRef>],
    /// The materialized states that were resolved: `relay_state`.
    pub relay_state: &'a [RelayState<'a>],
    /// The columns of `error`; error routes only.
    pub error: Option<&'a RecordBatch>,
    /// The columns of `partial_output`; error routes only.
    pub partial_output: Option<&'a RecordBatch>,
    /// Domain time and the seed of volatile functions.
    pub snapshot: &'a Snapshot,
}

/// The state of one relay.
#[derive(Clone, Copy)]
pub struct RelayState<'a> {
    /// The relay's name.
    pub relay: &'a str,
    /// One row, which then stands for every row of the frame, or as many rows as the frame has.
    pub record: &'a RecordBatch,
}

impl<'a> Frame<'a> {
    /// A frame with source rows only, as source WHERE reads it.
    pub fn of_input(input: &'a RecordBatch, snapshot: &'a Snapshot) -> Self {
        Self {
            rows: input.num_rows(),
            input,
            output: &[],
            relay_state: &[],
            error: None,
            partial_output: None,
            snapshot,
        }
    }

    /// The same frame with materialized states.
    pub fn with_relay_state(self, relay_state: &'a [RelayState<'a>]) -> Self {
        Self { relay_state, ..self }
    }

    /// The same frame with an output record.
    pub fn with_output(self, output: &'a [Option<ArrayRef>]) -> Self {
        Self { output, ..self }
    }

    /// The same frame with what an error route reads besides.
    pub fn with_error(self, error: &'a RecordBatch, partial_output: &'a RecordBatch) -> Self {
        Self {
            error: Some(error),
            partial_output: Some(partial_output),
            ..self
        }
    }
}
