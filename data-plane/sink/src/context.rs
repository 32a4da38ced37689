//! What a sink is given of the world: nothing in it is global.

use std::path::PathBuf;
use std::sync::Arc;

use nervix_budget::Budget;
use nervix_clock::PhysicalClock;

/// What the worker hands over when a CLIENT is connected. Names are resolved, connections dialled and TLS files read by
/// the net room, which a sink's crate names itself.
#[derive(Clone)]
pub struct World {
    /// The only source of time: request timeouts, leases, bounds of connecting.
    pub clock: PhysicalClock,
    /// The node's byte budget, for what a sink holds beyond the payloads that it was given.
    pub budget: Budget,
    /// A folder of this node for files that may go with the process; it exists, and nobody else may read it.
    pub scratch: PathBuf,
    /// Name of the node.
    pub node: Arc<str>,
}

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

/// What the worker hands over when the sink of one emitter is opened.
#[derive(Clone)]
pub struct SinkContext {
    /// The same world that its CLIENT was connected in.
    pub world: World,
    /// Who the sink works for.
    pub labels: Labels,
}
