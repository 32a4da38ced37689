//! The worker: assignments, ingestors, emitters and Arrow Flight, wired together.
//!
//! [`Worker::start`] serves Arrow Flight to applications, keeps one stream to the control plane, and executes what is
//! assigned to this node. A worker goes on with what it has while the control plane is away. It holds no state that
//! outlives the process, decides nothing about the catalog, and knows no NSPL beyond asking `nspl` for definitions.

mod assignments;
mod control;
mod describe;
mod destinations;
mod directory;
mod events;
mod flight;
mod metrics;
mod node;
mod relays;
mod resources;
mod supervisor;
mod worker;

pub use control::ControlPlaneAt;
pub use worker::{
    BUDGET_BYTES_DEFAULT, CONNECTIONS_DEFAULT, CONSUMER_BYTES_DEFAULT, DRAIN_BOUND_DEFAULT, DrainOutcome,
    MESSAGE_BYTES_DEFAULT, MESSAGE_BYTES_MIN, StartError, StatePlace, Worker, WorkerHandle, WorkerOptions,
    message_bytes_within,
};
