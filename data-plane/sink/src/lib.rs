//! The contract between the emitter and a destination.
//!
//! A destination is one of five shapes ([`OpenSink`]); the emitter has one driver for each shape and never names a
//! product. Whatever a destination says about a unit of work becomes an [`Outcome`]: delivered, rejected, or
//! unresolved. There is no fourth answer, and no `Result` stands in its place, so that nobody has to guess which kind
//! of error they hold.
//!
//! What a sink does not do is the contract. It does not retry, back off, time a confirmation, evaluate an expression,
//! encode a record, touch an acknowledgement, read an environment variable, resolve a name outside the net room,
//! create a topic, a queue or a table, or put a payload, a target, a header or a credential into an error or a log.
//! One exception is in the nature of a session: the lease of an assigned delivery (ACK TIMEOUT) begins when a consumer
//! takes it, which only the session knows, so the session ends it.

mod client;
mod context;
mod header;
mod lane;
mod open;
mod outcome;
mod payload;
mod publish;
mod request;
mod row;
mod session;
mod staged;
mod text;

pub use client::{Connect, SinkClient};
pub use context::{Labels, SinkContext, World};
pub use header::{Header, Headers};
pub use lane::{Lane, LaneId};
pub use open::{OpenError, OpenSink};
pub use outcome::{Failure, FailureKind, Note, Outcome, Rejection, Unsent};
pub use payload::{Payload, PayloadId};
pub use publish::{Confirmation, PayloadSink};
pub use request::{PreparedRequest, RequestSink};
pub use row::{Measure, RowAnswer, RowSink, Rows, WriteLimits};
pub use session::{Offer, RevokeReason, SessionAnswer, SessionSink, SessionStatus, SessionWatch};
pub use staged::{RefusedRow, StagedBatch, StagedSink, Staging};
pub use text::{BoundedText, TEXT_BYTES_MAX};
