//! The request shape: one prepared request for each record, strictly in order (HTTP).

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use futures::future::BoxFuture;

use crate::header::Headers;
use crate::outcome::Outcome;

/// A request as it is sent at every attempt.
#[derive(Clone)]
pub struct PreparedRequest {
    /// The method as it was evaluated.
    pub method: Arc<str>,
    /// The normalized target.
    pub target: Arc<str>,
    /// Headers in written order, already checked.
    pub headers: Headers,
    /// The body, or none.
    pub body: Option<Bytes>,
}

impl fmt::Debug for PreparedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PreparedRequest")
            .field("headers", &self.headers.len())
            .field("body_bytes", &self.body.as_ref().map(Bytes::len))
            .finish_non_exhaustive()
    }
}

/// Sends one request at a time.
pub trait RequestSink: Send {
    /// Sends `request` and waits for what decides it.
    fn send<'a>(&'a mut self, request: &'a PreparedRequest) -> BoxFuture<'a, Outcome>;
}
