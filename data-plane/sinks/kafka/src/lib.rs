//! The Kafka sink: payloads as records of a topic (`emitters.txt`, "Kafka" and "Broker and message emitters"; rulings
//! section 9, Kafka and Keys on the wire).
//!
//! - **Delivered**: in MODE NO_ACK when the producer took the record into its queue; in MODE ACK when its delivery report
//!   says so.
//! - **Rejected**: a record that is larger than `message.max.bytes` of the client, before anything of it is written; and one
//!   that the broker refuses, as too large or as invalid, when it was alone in its request. A request with others in it is
//!   refused as a whole: they are sent again in order, less at a time, and nothing is taken beside them.
//! - **Unresolved**, and sent again by the emitter: every other report, a full queue, a fatal error of the producer (which
//!   is then made anew), and what the producer tells of the way to the brokers: TLS, SASL, names, all brokers away.
//!
//! Invariant: the producer holds a record at most once. What it still holds of a record that is sent again is taken out of
//! its queue first; what is on the wire already is not written a second time: its report is awaited instead.
//!
//! librdkafka resolves names by the system's resolver, dials and does TLS itself: the one exception to the net room. What is
//! configured for it goes through by name ([`limits`] has what Nervix adds). Deliberately absent: transactions, choosing a
//! partition, creating a topic, retries.

mod answer;
mod client;
mod config;
mod confirmation;
pub mod limits;
mod producer;
mod publish;
mod record;
mod reports;
mod requests;

pub use client::{connect, open_alone};
