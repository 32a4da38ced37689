//! Relays: typed streams of record batches (companion section 9).

use std::sync::Arc;

use crate::{BranchDef, Schema};

/// CAPACITY when the clause is left out, in batches a consumer may be behind.
pub const DEFAULT_CAPACITY: u32 = 64;

/// A RELAY definition with what it refers to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RelayDef {
    /// Name in the domain.
    pub name: String,
    /// The payload.
    pub schema: Arc<Schema>,
    /// `None`: UNBRANCHED.
    pub branch: Option<Arc<BranchDef>>,
    /// Batches a consumer may be behind, from 1 to 1,000,000.
    pub capacity: u32,
    /// WITH MATERIALIZED STATE LAST BY TIMESTAMP.
    pub materialized: bool,
}
