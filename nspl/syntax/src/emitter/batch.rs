//! `BATCH MAX MESSAGES <n> MAX SIZE <bytes>` (emitters.txt "Batching").

use crate::quantity::{Size, Whole};
use crate::span::Span;

/// The BATCH clause: two hard limits of every published batch.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Batch {
    /// The most source records.
    pub max_messages: Whole,
    /// The most encoded bytes.
    pub max_size: Size,
    /// Where the clause stands.
    pub span: Span,
}
