//! Tests of the whole crate through its public face: round trips over a generator of the whole grammar, the examples
//! of the specification, faults with their helps, comments, and growth of time.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot read the account of its thread has failed"
)]

mod comments;
mod faults;
mod generator;
mod growth;
mod recovery;
mod roundtrip;
mod specification;
mod thread_time;
