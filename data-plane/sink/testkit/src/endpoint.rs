//! An endpoint: takes every prepared request, unless a test says otherwise.

use std::ops::Deref;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use nervix_clock::PhysicalInstant;
use nervix_sink::{OpenError, OpenSink, Outcome, PreparedRequest, RequestSink, SinkClient, SinkContext};
use nspl_model::EmitterDef;

use crate::attended::Attended;

/// The endpoint; clones share everything.
#[derive(Clone, Default)]
pub struct Endpoint {
    attended: Attended<PreparedRequest, Outcome>,
}

impl Endpoint {
    /// An endpoint that takes every request.
    pub fn new() -> Self {
        Self::default()
    }

    /// A sink on it.
    ///
    /// # Errors
    /// What [`Attended::refuse_to_open`] asked for.
    pub fn open(&self) -> Result<OpenSink, OpenError> {
        self.attended.open()?;
        Ok(OpenSink::Requests(Box::new(EndpointSink(self.clone()))))
    }
}

impl Deref for Endpoint {
    type Target = Attended<PreparedRequest, Outcome>;

    fn deref(&self) -> &Self::Target {
        &self.attended
    }
}

impl SinkClient for Endpoint {
    fn open(
        &self,
        _def: Arc<EmitterDef>,
        _context: SinkContext,
    ) -> BoxFuture<'static, Result<OpenSink, OpenError>> {
        std::future::ready(Endpoint::open(self)).boxed()
    }

    fn drain(&self, _deadline: PhysicalInstant) -> BoxFuture<'_, ()> {
        std::future::ready(()).boxed()
    }
}

struct EndpointSink(Endpoint);

impl RequestSink for EndpointSink {
    fn send<'a>(&'a mut self, request: &'a PreparedRequest) -> BoxFuture<'a, Outcome> {
        self.0.attended.attempt(request.clone(), |_| Outcome::DELIVERED)
    }
}
