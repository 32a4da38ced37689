//! What opening a sink gives: one of five shapes, never one of eighteen products.

use thiserror::Error;

use crate::outcome::Failure;
use crate::publish::PayloadSink;
use crate::request::RequestSink;
use crate::row::RowSink;
use crate::session::SessionSink;
use crate::staged::StagedSink;

/// The sink of one emitter, by shape.
pub enum OpenSink {
    /// Encoded payloads: brokers, sockets, telemetry.
    Payload(Box<dyn PayloadSink>),
    /// Rows mapped to columns or documents: databases.
    Rows(Box<dyn RowSink>),
    /// One prepared request for each record: HTTP.
    Requests(Box<dyn RequestSink>),
    /// Staged locally, committed later: Iceberg.
    Staged(Box<dyn StagedSink>),
    /// Deliveries to applications that answer for them: CLIENT.
    Session(Box<dyn SessionSink>),
}

impl OpenSink {
    /// The shape as a word for messages.
    pub fn shape(&self) -> &'static str {
        match self {
            Self::Payload(_) => "payload",
            Self::Rows(_) => "rows",
            Self::Requests(_) => "request",
            Self::Staged(_) => "staged",
            Self::Session(_) => "session",
        }
    }
}

/// Why a sink could not be opened. The definition is already valid, so this is only ever what the world did.
#[derive(Debug, Error)]
pub enum OpenError {
    /// Opening again later can help; the emitter retries by its policy.
    #[error("{}", .0.message)]
    Unavailable(Failure),
    /// The worker was built without this kind of sink.
    #[error("this worker was built without the {kind} sink; build it with the feature {feature}")]
    NotBuilt {
        /// The kind in NSPL's words.
        kind: &'static str,
        /// The feature that adds it.
        feature: &'static str,
    },
}
