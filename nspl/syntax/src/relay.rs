//! `RELAY r SCHEMA s UNBRANCHED | BRANCHED BY b [CAPACITY n] [WITH MATERIALIZED STATE LAST BY TIMESTAMP]`
//! (companion sections 2 and 9).

use crate::name::Name;
use crate::quantity::Whole;

/// A relay definition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Relay {
    /// The name of the relay.
    pub name: Name,
    /// The schema of its records.
    pub schema: Name,
    /// The branch it is branched by; none when UNBRANCHED.
    pub branched_by: Option<Name>,
    /// The batches a consumer may be behind.
    pub capacity: Option<Whole>,
    /// Whether the last record of each branch is kept as materialized state.
    pub materialized: bool,
}
