//! Names, connections and TLS against a name server, listeners and certificates of the tests' own.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, and spawns its own peers"
)]

mod dialling;
mod name_server;
mod names;
mod tls;
