//! One attempt: connect, send, read final headers, all within the client's timeout.

use std::sync::Arc;

use futures::future::BoxFuture;
use nervix_clock::PhysicalInstant;
use nervix_sink::{Outcome, PreparedRequest, RequestSink};

use crate::answer::answer;
use crate::client::Shared;
use crate::exchange::{exchange, farewell};
use crate::fault::AttemptFault;
use crate::head::FinalHead;
use crate::request::head_of;

/// The sink of one emitter.
#[derive(Debug)]
pub(crate) struct HttpSink {
    shared: Arc<Shared>,
}

impl HttpSink {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// The connection ends when this does, however it ends.
    async fn attempt(
        &self,
        request: &PreparedRequest,
        deadline: PhysicalInstant,
    ) -> Result<FinalHead, AttemptFault> {
        let Shared { config, dialler, tls } = &*self.shared;
        let head = head_of(request, &config.host);
        let body = request.body.clone().unwrap_or_default();
        match tls {
            Some(tls) => {
                let mut stream = Box::pin(dialler.dial_tls(&config.endpoint, tls, deadline)).await?;
                let answer = exchange(&mut stream, head, body).await;
                farewell(&mut stream);
                answer
            }
            None => {
                let mut stream = dialler.dial(&config.endpoint, deadline).await?;
                exchange(&mut stream, head, body).await
            }
        }
    }
}

impl RequestSink for HttpSink {
    fn send<'a>(&'a mut self, request: &'a PreparedRequest) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            let clock = self.shared.dialler.clock().clone();
            let deadline = clock.now().after(self.shared.config.timeout);
            let attempt = self.attempt(request, deadline);
            match clock.timeout_at(deadline, attempt).await {
                Ok(Ok(head)) => answer(&head, &clock),
                Ok(Err(fault)) => Outcome::Unresolved(fault.failure()),
                Err(_) => Outcome::Unresolved(AttemptFault::TimedOut.failure()),
            }
        })
    }
}
