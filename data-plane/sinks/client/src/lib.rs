//! The session sink: application consumers with credit and acknowledgement (`emitters.txt`, Client emitters;
//! `flight.md`, Consuming).
//!
//! One [`Exchange`] stands for one CLIENT emitter. On one side applications connect ([`ConsumerSession`]); on the other
//! the emitter's driver offers payloads through the session shape of `nervix-sink`. The exchange survives pauses and
//! restarts of the emitter: consumers' streams, their credit, the counters and the kept results stay.
//!
//! - A payload is delivered when an application acks a live attempt of it.
//! - It is rejected when an application rejects a live attempt; its reason becomes `error.message`.
//! - It is unresolved, and offered again by the emitter after its backoff, when an application asks for it, when ACK
//!   TIMEOUT passes since the assignment, or when the consumer that held it goes.
//!
//! All decisions are made by a pure machine (`machine`); the shell around it holds the lock and wakes whoever waits.
//! What is not done here: retrying, backing off, windows, and everything that Flight itself carries.

mod connection;
mod consumers;
mod event;
mod exchange;
mod lanes;
mod machine;
mod reference;
mod results;
mod sink;

pub use connection::{ConnectOptions, ConsumerSession};
pub use event::{AnswerResult, Delivery, EndReason, RevokedReason, SessionEvent};
pub use exchange::{Exchange, ExchangeOptions, SessionOptions};
pub use machine::UNREAD_OUTCOMES_MAX;
pub use reference::{MalformedAnswer, REASON_BYTES_MAX, REF_BYTES_MAX};
pub use results::KEPT_RESULTS;
