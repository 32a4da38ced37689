//! The sink against endpoints over real sockets, well-behaved and hostile ones.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, and spawns its own peers"
)]

mod answers;
mod attempt;
mod loss;
mod requests;
mod tls;
