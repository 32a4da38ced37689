//! Operations of ALTER RELAY.

use crate::quantity::Whole;
use crate::span::Span;

/// One operation of ALTER RELAY.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AlterRelay {
    /// `SET CAPACITY n`
    SetCapacity {
        /// The batches a consumer may be behind.
        capacity: Whole,
        /// Where the operation stands.
        span: Span,
    },
}
