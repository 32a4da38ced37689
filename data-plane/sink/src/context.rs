//! What a sink is given of the world: nothing in it is global.

use std::sync::Arc;

use nervix_clock::PhysicalClock;

/// Names for logs and metrics; none of them ever carries a value of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labels {
    /// Domain of the emitter.
    pub domain: Arc<str>,
    /// Name of the emitter.
    pub emitter: Arc<str>,
    /// Name of the node that executes it.
    pub node: Arc<str>,
}

/// What the worker hands to a sink when it opens it.
#[derive(Clone)]
pub struct SinkContext {
    /// The only source of time: requests' timeouts, leases.
    pub clock: PhysicalClock,
    /// Who the sink works for.
    pub labels: Labels,
}
