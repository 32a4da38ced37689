//! Materialized-state dependencies (companion section 2).

use std::sync::Arc;

use crate::{Literal, RelayDef};

/// `USING MATERIALIZED STATE r ...`; its fields read as `relay_state.r.field`.
#[derive(Clone, PartialEq, Debug)]
pub struct Dependency {
    /// Materialized, and of the same branch as every source.
    pub relay: Arc<RelayDef>,
    /// What happens while the relay has no state.
    pub resolution: Resolution,
}

/// What happens to a batch while there is no state.
#[derive(Clone, PartialEq, Debug)]
pub enum Resolution {
    /// REQUIRED WAIT: it is kept, its acknowledgement open.
    Wait,
    /// REQUIRED SKIP: it is acknowledged and dropped.
    Skip,
    /// DEFAULT {..}: a constant record, one literal per field of the relay's schema, in its order.
    Default(Vec<Literal>),
}
