//! The control plane: catalog, change, schedule, rollout, describe and the public API.
//!
//! A change is checked against the whole catalog, drained on the worker that runs what it touches, committed to the store
//! by compare-and-swap, and then rolled out. The store alone decides: everything that workers are told (assignments,
//! generations, run states) is derived from stored revisions, so a control plane that was killed tells them the same
//! again, and several on one store tell them the same.
//!
//! Rooms: [`catalog`] is what is stored and the state derived from it, `graph` what a change touches, `change` carries
//! scripts out, `cluster` knows which nodes are there, `schedule` places, `rollout` speaks with workers in terms of its
//! own, `describe` answers DESCRIBE and SHOW, and `api` alone knows protobuf.
//!
//! It deliberately knows no driver, no Arrow and no syntax: NSPL is judged by `nspl`.

mod api;
pub mod catalog;
mod change;
mod cluster;
mod control;
mod describe;
mod events;
mod graph;
#[cfg(test)]
mod logged;
mod metrics;
mod rollout;
mod schedule;
mod tasks;

pub use change::RUNTIME_CODES;
pub use control::{
    CONNECTIONS_DEFAULT, ControlHandle, ControlOptions, ControlPlane, DRAIN_BOUND, LEASE, StartError,
};
