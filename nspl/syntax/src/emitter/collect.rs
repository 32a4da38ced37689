//! `COLLECT FOR <duration> [MAX BATCH SIZE <bytes>]`: the input collection of an emitter.

use crate::quantity::{Duration, Size};
use crate::span::Span;

/// The COLLECT clause.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Collect {
    /// The domain time one collection lasts.
    pub each: Duration,
    /// The logical Arrow bytes that end a collection early.
    pub max_batch_size: Option<Size>,
    /// Where the clause stands.
    pub span: Span,
}
