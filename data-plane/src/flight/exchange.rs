//! DoExchange: consuming an emitter (flight.md "Consuming").
//!
//! One task reads requests and applies them to the session; the response stream sends what the session has to say.
//! Invariant: when either half goes (fault, cancellation, lost peer) the other one follows, and the session with them,
//! so that what the consumer held is revoked. A malformed request has no effect and ends the stream.

use std::sync::Arc;

use arrow_flight::FlightData;
use arrow_ipc::MessageHeader;
use futures::{Stream, stream};
use nervix_sink_client::{ConsumerSession, EndReason, SessionEvent};
use tokio::sync::oneshot;
use tonic::{Status, Streaming};

use super::{
    dialect::SharedDialect,
    ending::{Ending, Reason},
    limits::{MessageLimit, of_requests},
    metadata::Request,
    response::Message,
    wire::{delivery_message, outcome_data, revoked_data, schema_data},
};
use crate::supervisor::Task;

/// The reading half of one consumer's stream.
pub(crate) struct Consuming {
    pub(crate) session: Arc<ConsumerSession>,
    pub(crate) dialect: Arc<SharedDialect>,
    pub(crate) limit: MessageLimit,
}

impl Consuming {
    /// Reads until the client closes its side; tells a fault of the stream to the sending half.
    pub(crate) async fn run(
        self,
        first: FlightData,
        mut incoming: Streaming<FlightData>,
        fault: oneshot::Sender<Ending>,
    ) {
        if let Err(ending) = self.read(first, &mut incoming).await {
            // Refused only when the sending half has gone already, and with it the stream.
            drop(fault.send(ending));
        }
    }

    /// # Errors
    /// How the stream ends; where its peer is gone nobody hears it, and it ends the sending half all the same.
    async fn read(&self, first: FlightData, incoming: &mut Streaming<FlightData>) -> Result<(), Ending> {
        self.take(&first).await?;
        loop {
            match incoming.message().await {
                Ok(Some(message)) => self.take(&message).await?,
                Ok(None) => {
                    self.session.half_close();
                    return Ok(());
                }
                Err(status) => {
                    return Err(of_requests(&status, self.limit).unwrap_or_else(|| {
                        Ending::new(Reason::Interrupted, "the stream of requests broke off")
                    }));
                }
            }
        }
    }

    async fn take(&self, message: &FlightData) -> Result<(), Ending> {
        refuse_rows(message)?;
        let malformed = |text: String| Ending::new(Reason::MalformedMetadata, text);
        let request = self
            .dialect
            .read(&message.app_metadata)
            .map_err(|fault| malformed(fault.to_string()))?;
        let word = request.word();
        let done = match request {
            Request::Nothing | Request::Hello => {
                self.session.hello();
                Ok(())
            }
            Request::Credit(batches) => {
                self.session.grant(batches);
                Ok(())
            }
            Request::Ack(refs) => self.session.ack(&refs).await,
            Request::Retry(refs) => self.session.retry(&refs).await,
            Request::Reject { refs, reason } => self.session.reject(&refs, &reason).await,
        };
        done.map_err(|fault| malformed(format!("{word}.{fault}")))
    }
}

/// Stock clients may have to send a schema before they can send metadata; rows are refused.
fn refuse_rows(message: &FlightData) -> Result<(), Ending> {
    if message.data_header.is_empty() && message.data_body.is_empty() {
        return Ok(());
    }
    let kind = arrow_ipc::root_as_message(&message.data_header).map(|message| message.header_type());
    match kind {
        Ok(MessageHeader::NONE | MessageHeader::Schema) if message.data_body.is_empty() => Ok(()),
        Ok(_) => Err(Ending::new(
            Reason::MalformedData,
            "a consumer sends no data; write to an ingestor with DoPut",
        )),
        Err(_) => Err(Ending::new(
            Reason::MalformedData,
            "data_header is no Arrow IPC message",
        )),
    }
}

struct Sending {
    session: Arc<ConsumerSession>,
    dialect: Arc<SharedDialect>,
    fault: oneshot::Receiver<Ending>,
    /// False once the reading half has ended without a fault.
    reading: bool,
    schema: Option<FlightData>,
    title: String,
    ended: bool,
    _task: Task,
}

/// The response stream of one consumer: the schema at once, then what the session says.
pub(crate) fn sending(
    parts: (Arc<ConsumerSession>, Arc<SharedDialect>, Task),
    fault: oneshot::Receiver<Ending>,
    schema: &arrow::datatypes::SchemaRef,
    title: String,
) -> impl Stream<Item = Result<Message, Status>> + Send + use<> {
    let (session, dialect, task) = parts;
    let state = Sending {
        session,
        dialect,
        fault,
        reading: true,
        schema: Some(schema_data(schema)),
        title,
        ended: false,
        _task: task,
    };
    stream::unfold(state, |mut state| async move {
        let next = state.next().await?;
        state.ended = next.is_err();
        Some((next.map_err(|ending| ending.status()), state))
    })
}

impl Sending {
    async fn next(&mut self) -> Option<Result<Message, Ending>> {
        if self.ended {
            return None;
        }
        if let Some(schema) = self.schema.take() {
            return Some(Ok(schema.into()));
        }
        loop {
            tokio::select! {
                biased;
                fault = &mut self.fault, if self.reading => match fault {
                    Ok(ending) => return Some(Err(ending)),
                    Err(_) => self.reading = false,
                },
                event = self.session.recv() => return self.said(event?),
            }
        }
    }

    fn said(&self, event: SessionEvent) -> Option<Result<Message, Ending>> {
        let encoding = self.dialect.encoding();
        match event {
            SessionEvent::Deliver(delivery) => Some(Ok(delivery_message(delivery, encoding))),
            SessionEvent::Outcome { reference, result } => {
                Some(Ok(outcome_data(reference, result, encoding).into()))
            }
            SessionEvent::Revoked { reference, reason } => {
                Some(Ok(revoked_data(reference, reason, encoding).into()))
            }
            SessionEvent::End(reason) => end_of(&reason, &self.title).map(Err),
        }
    }
}

/// How a consumer's stream ends; nothing for an end without an error.
pub(crate) fn end_of(reason: &EndReason, title: &str) -> Option<Ending> {
    let (word, text) = match reason {
        EndReason::HalfClosed => return None,
        EndReason::Dropped => (Reason::Dropped, "was dropped"),
        EndReason::Moved { location } => return Some(Ending::moved(title, location)),
        EndReason::Draining => (Reason::Draining, "this node shuts down; connect again"),
        EndReason::Changed => (
            Reason::Changed,
            "the output schema differs now; read it again with GetSchema",
        ),
    };
    Some(Ending::new(word, format!("{title}: {text}")))
}
