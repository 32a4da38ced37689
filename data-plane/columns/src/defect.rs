//! Defects of the engine as logs may tell them.

use arrow::error::ArrowError;

/// The kind of an Arrow error, in a word; its own text may quote a value.
pub fn arrow_kind(error: &ArrowError) -> &'static str {
    match error {
        ArrowError::InvalidArgumentError(_) => "invalid argument",
        ArrowError::SchemaError(_) => "schema",
        ArrowError::ComputeError(_) => "compute",
        ArrowError::MemoryError(_) => "memory",
        _ => "arrow",
    }
}
