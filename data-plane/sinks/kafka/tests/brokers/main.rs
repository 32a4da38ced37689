//! The sink against brokers that answer as they are told, for what no real one can be brought to say. The brokers are
//! librdkafka's own, in this process; what a real Kafka does is tried in `tests/tests/scenarios/kafka.rs`.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod answers;
mod stage;
