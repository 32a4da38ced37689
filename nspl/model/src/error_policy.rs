//! What happens to failing records and to failures that belong to no record (companion section 6).

use std::sync::Arc;
use std::time::Duration;

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

impl MessagePolicy {
    /// Lines about failed records that an ingestor's route or an emitter writes in [`Self::LOG_PERIOD`] at most; what is
    /// passed over is counted in the next line.
    pub const LOG_LINES_MAX: u32 = 8;
    /// See [`Self::LOG_LINES_MAX`].
    pub const LOG_PERIOD: Duration = Duration::from_secs(10);
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
