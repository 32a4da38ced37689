//! Rust client of Nervix: control, writer and consumer.
//!
//! [`Client`] runs NSPL and describes what is there; [`Writer`] writes record batches into an ingestor and resends what
//! the server could not resolve; [`Consumer`] is an async stream of [`Delivery`] items that are acked, retried or rejected.
//! It speaks the client protocol (plain Arrow Flight with protobuf metadata), which needs no SDK: a stock Arrow client
//! does the same in more lines.
//!
//! What holds: every queue is bounded; a batch is resent until it is answered DONE or REFUSED, never after; a delivery
//! that is dropped unanswered counts as `retry`; no record's value appears in an error or a log line.
//! What it deliberately does not do: keep anything on disk, or order batches across resends.
//!
//! ```no_run
//! # async fn example() -> Result<(), nervix_client::Error> {
//! use futures::StreamExt;
//! use nervix_client::Client;
//!
//! let client = Client::connect("127.0.0.1:7460").await?;
//! client.execute("USE shop; START;").await?;
//!
//! let mut consumer = client.consumer("shop", "large_orders").window(8).open().await?;
//! while let Some(delivery) = consumer.next().await {
//!     let delivery = delivery?;
//!     println!("{} rows", delivery.batch().num_rows());
//!     delivery.ack().await?;
//! }
//! # Ok(())
//! # }
//! ```

mod address;
mod backoff;
mod client;
mod comeback;
mod consumer;
mod control;
mod encode;
mod error;
mod flights;
mod metadata;
mod pause;
mod places;
mod refusal;
mod transport;
mod writer;

pub use arrow;

pub use crate::{
    address::Address,
    client::{Client, ConnectOptions},
    consumer::{Consumer, ConsumerBuilder, Delivery, Outcome, Receipt, Revocation},
    control::{
        Candidate, ChangeClass, ClusterStatus, Completion, Description, Diagnostic, Entity, Event,
        EventStream, Label, Node, NodeState, Property, ScriptReply, Severity, Span, StatementReply,
        StatementStatus, Table, UploadReply,
    },
    error::Error,
    flights::{Flight, FlightKind},
    metadata::reason_is_well_formed,
    refusal::{Code, Refusal},
    writer::{Answer, RefusedBatch, Ticket, WriteMonitor, WriteReport, Writer, WriterBuilder},
};
