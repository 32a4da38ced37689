//! What an emitter makes of its records before it publishes them.

use std::sync::Arc;

use crate::{CodecDef, Expr};

/// What is published of a record.
#[derive(Clone, PartialEq, Debug)]
pub enum Content {
    /// The constructed columns themselves.
    Columns,
    /// ENCODE USING: what the codec writes of the constructed record.
    Encoded(Arc<CodecDef>),
    /// VALUES: the output schema has a field per entry, in written order and named by its key, and the construction has
    /// a SET for each that reads the source row alone. Entries of further maps of the sink follow.
    Mapped,
    /// WITHOUT BODY: the output schema has no fields.
    Absent,
}

/// `write_header(name, value)` of INVOKE; its position in the list, from 0, is the `operation_index` of its errors.
#[derive(Clone, PartialEq, Debug)]
pub struct HeaderWrite {
    /// Exact, non-null STRING.
    pub name: Expr,
    /// Exact, non-null STRING.
    pub value: Expr,
}
