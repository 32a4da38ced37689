//! Branches: how the rows of a relay are kept apart by key (companion section 9).

use std::sync::Arc;
use std::time::Duration;

use crate::Schema;

/// A BRANCH definition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BranchDef {
    /// Name in the domain.
    pub name: String,
    /// The key fields.
    pub schema: Arc<Schema>,
    /// How long an idle instance is kept.
    pub ttl: Duration,
    /// MAX INSTANCES, evicting the least recently used; `None`: no bound declared.
    pub max_instances: Option<u32>,
}
