//! A lane: the rows of one source relay and one concrete branch.
//!
//! Invariant: what is in one lane keeps its order, and windows are counted per lane. A lane exists only while it holds
//! work, so a [`LaneId`] is never used again for another lane of the same emitter.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

/// Names a lane within one run of one emitter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LaneId(pub u64);

/// What a destination may know of a lane. Its Debug form does not show the key.
#[derive(Clone, PartialEq, Eq)]
pub struct Lane {
    /// Identity of the lane.
    pub id: LaneId,
    /// Name of the source relay.
    pub source: Arc<str>,
    /// Opaque fingerprint of the concrete branch, at most 64 ASCII characters; empty for unbranched rows
    /// (`flight.md`, Consuming). Never the values of the branch key.
    pub branch: Arc<str>,
    /// The values of the branch key as they stand on the wire (rulings section 9, Keys on the wire): none for unbranched
    /// rows, which is not the empty key. For the message itself alone, never for a log, an error or a label.
    pub key: Option<Bytes>,
}

impl fmt::Debug for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lane")
            .field("id", &self.id)
            .field("source", &self.source)
            .field("branch", &self.branch)
            .finish_non_exhaustive()
    }
}
