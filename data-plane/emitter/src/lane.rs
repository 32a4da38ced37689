//! The key of a lane: one source relay and one concrete branch.
//!
//! Invariant: equal keys of differently named branches, and one branch in two relays, are different lanes. A key keeps
//! its branch instance alive, so a branch with work is never evicted.

use nervix_relay::BranchRef;

/// Names a lane; cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct LaneKey {
    /// Position of the relay in the FROM list.
    pub(crate) source: usize,
    /// The concrete branch; none in an unbranched relay.
    pub(crate) branch: Option<BranchRef>,
}
