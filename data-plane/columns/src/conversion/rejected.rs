//! The rows of a batch that could not be taken (flight.md: code validation, operation decode).

use arrow::array::RecordBatch;
use arrow::buffer::BooleanBuffer;

/// Why a row was rejected. Neither says what the value was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// A null where the schema has a required field, or in a list.
    Null,
    /// A value that does not convert exactly.
    Inexact,
}

impl Reason {
    /// The text of `error.message`.
    pub fn message(self) -> &'static str {
        match self {
            Self::Null => "a required field is null",
            Self::Inexact => "a value does not convert exactly to the type of its field",
        }
    }
}

/// One rejected row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// The row of the writer's batch.
    pub row: u32,
    /// Why, by the first field at fault.
    pub reason: Reason,
    /// The fields at fault, sorted: `error.fields`.
    pub fields: Vec<String>,
}

/// The rejected rows of one batch.
#[derive(Debug, Clone)]
pub struct Rejected {
    /// One bit for each of the writer's rows: whether it is in the converted batch.
    pub accepted: BooleanBuffer,
    /// The rejected rows, ascending.
    pub rows: Vec<Rejection>,
    /// What could be read of them, row for row with `rows`: the schema's columns, all nullable, null where a
    /// field is at fault. This is what an error route reads as `input`.
    pub records: RecordBatch,
}
