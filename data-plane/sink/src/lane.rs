//! A lane: the rows of one source relay and one concrete branch.
//!
//! Invariant: what is in one lane keeps its order, and windows are counted per lane. A lane exists only while it holds
//! work, so a [`LaneId`] is never used again for another lane of the same emitter.

use std::sync::Arc;

/// Names a lane within one run of one emitter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LaneId(pub u64);

/// What a destination may know of a lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lane {
    /// Identity of the lane.
    pub id: LaneId,
    /// Name of the source relay.
    pub source: Arc<str>,
    /// Opaque fingerprint of the concrete branch, at most 64 ASCII characters; empty for unbranched rows
    /// (`flight.md`, Consuming). Never the values of the branch key.
    pub branch: Arc<str>,
}
