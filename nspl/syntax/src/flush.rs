//! `FLUSH EACH <duration> MAX BATCH SIZE <bytes>` and `FLUSH IMMEDIATE` (companion section 11).

use crate::quantity::{Duration, Size};
use crate::span::Span;

/// The flush policy of an emitter or a route.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Flush {
    /// Which policy.
    pub kind: FlushKind,
    /// Where the clause stands.
    pub span: Span,
}

/// The forms of FLUSH.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FlushKind {
    /// `FLUSH EACH e MAX BATCH SIZE s`
    Each {
        /// The domain time from the first row of an empty buffer.
        every: Duration,
        /// The logical Arrow bytes of a full buffer.
        max_batch_size: Size,
    },
    /// `FLUSH IMMEDIATE`
    Immediate,
}
