//! What happens to failing records and to failures that belong to no record (companion section 6).

use std::sync::Arc;

use crate::{Assignment, RelayDef};

/// `ON MESSAGE ERROR`.
#[derive(Clone, PartialEq, Debug)]
pub enum MessagePolicy {
    /// Drop the record.
    Ignore,
    /// Log that it failed.
    Log,
    /// Send an error record.
    SendTo(ErrorRoute),
}

/// `SEND TO relay SET f = e, ...`.
#[derive(Clone, PartialEq, Debug)]
pub struct ErrorRoute {
    /// Where the error record goes; of the same branch as every source.
    pub relay: Arc<RelayDef>,
    /// In written order; indexes into the relay's schema; expressions over input, partial_output, error and relay_state.
    pub set: Vec<Assignment>,
}

/// `ON GENERAL ERROR`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GeneralPolicy {
    /// No log line; DESCRIBE, events and metrics still show it.
    Ignore,
    /// A log line.
    Log,
}
