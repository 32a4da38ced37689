//! Arrow Flight as applications see it (flight.md).
//!
//! Purpose: the edge where the public protocol ends; behind it nobody knows Flight, gRPC or `nervix.client.v1`.
//! Invariant: each stream of an application has one task that reads, and its response stream sends; neither holds more
//! than a bounded ledger for the other. Nothing here decides what becomes of a row.

mod claims;
mod descriptor;
mod dialect;
mod ending;
mod exchange;
mod find;
mod limits;
mod metadata;
mod put;
mod response;
mod service;
mod wire;

pub(crate) use limits::MessageLimit;
pub(crate) use put::Admission;
pub(crate) use service::{FlightEdge, serve};

#[cfg(test)]
mod tests;
