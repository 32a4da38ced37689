//! `BRANCH b SCHEMA s TTL d [MAX INSTANCES n EVICT LRU]` (companion sections 2 and 9).

use crate::name::Name;
use crate::quantity::{Duration, Whole};

/// A branch definition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Branch {
    /// The name of the branch.
    pub name: Name,
    /// The schema of its key.
    pub schema: Name,
    /// How long an instance lives without work.
    pub ttl: Duration,
    /// The bound on instances; EVICT LRU always follows it.
    pub max_instances: Option<Whole>,
}
