//! The whole emitter against a real relay, the real session sink, and a clock that only the test moves.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and runs the emitter's task itself"
)]

mod answers;
mod batches;
mod boundaries;
mod candidates;
mod conformance;
mod defects;
mod dice;
mod draining;
mod error_routes;
mod gathering;
mod lanes;
mod ledger;
mod leftovers;
mod logs;
mod model;
mod outside;
mod paced;
mod panics;
mod payload_storm;
mod payloads;
mod read_ahead;
mod requests;
mod retained;
mod room;
mod rows;
mod snapshots;
mod stage;
mod staged;
mod staged_storm;
mod states;
mod storm;
mod unset;
mod untaken;
mod weather;
