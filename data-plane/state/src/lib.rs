//! Materialized state on disk: what a worker brings back of its relays' states after a restart (companion.md section 2,
//! rulings section 9 "Paced domains").
//!
//! Purpose: [`StateStore::relay`] gives the states that were durable and a journal for what follows. One thread commits
//! whatever has come in since its last commit, so that many rows share one sync to disk.
//!
//! Invariants: a receipt is settled as durable after the commit that holds everything up to it, never before; the file is
//! mode 0600, locked while it is open, and has a format version; states of another form of a relay are never read; no
//! error and no log line quotes a key or a value.
//!
//! What it deliberately does not do: it decides nothing about which row is the state (`nervix-relay` does) and replicates
//! nothing: states are of this worker.

mod error;
mod form;
mod pending;
mod row;
mod store;
mod tables;

pub use error::StateError;
pub use store::{DomainId, StateStatus, StateStore};
