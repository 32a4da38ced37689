//! The sink on a real Postgres: values of every type, answers, the pool, TLS; and on what only pretends to be one.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod answers;
mod columns;
mod hostile;
mod leader;
mod pool;
mod pooler;
mod stage;
mod tls;
mod values;
