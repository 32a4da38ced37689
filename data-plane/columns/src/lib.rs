//! Arrow forms of NSPL types.
//!
//! This room knows which Arrow type each NSPL type is, takes what a writer sent into exactly that form,
//! measures and copies slices, turns a record batch into the two parts of one Arrow IPC message, reads such messages of
//! anybody without harm ([`frames`]), and holds the one text form of values ([`text`]). JSON is read by
//! [`nspl_model::json`], as the checker reads it.
//!
//! Invariant: whatever leaves [`Conversion::convert`] has exactly the schema of [`arrow_schema`], and
//! nothing that does not convert exactly gets through: it is a [`Difference`] of the whole stream or a
//! rejection of its row, never a guess.
//!
//! Deliberately absent: I/O, Flight, expressions, acknowledgements. A writer's row is named by its number.

mod batches;
mod conversion;
mod defect;
pub mod frames;
pub mod ipc;
mod nulls;
mod size;
pub mod text;
mod types;

#[cfg(test)]
mod testing;

pub use batches::{COMPACT_BYTES_MIN, COMPACT_SHARE, compact, concat, copy_out, filter};
pub use conversion::{
    CONVERTED_BYTES_MAX, Conversion, ConversionError, Converted, Difference, Differences, Reason, Rejected,
    Rejection,
};
pub use defect::arrow_kind;
pub use nulls::{NullColumns, null_array, nullify};
pub use size::{held_bytes, held_bytes_together, logical_array_bytes, logical_bytes};
pub use types::{arrow_field, arrow_schema, arrow_type, nullable_schema};
