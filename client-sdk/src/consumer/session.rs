//! The life of a consumer on the network: connect, grant, read, answer, come back.
//!
//! Reading never waits for sending or for the application: deliveries have a place reserved by their credit.

use std::{collections::HashMap, sync::Arc, time::Duration};

use arrow::{array::RecordBatch, datatypes::SchemaRef};
use arrow_flight::{FlightData, FlightDescriptor, utils::flight_data_to_arrow_batch};
use tokio::sync::{mpsc, watch};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, Streaming};

use super::{
    delivery::{Delivery, Facts, Outcome, Revocation},
    ledger::Desk,
};
use crate::{
    comeback::{Comeback, reserve},
    encode,
    error::Error,
    metadata::{self, DeliveryMessage, OutcomeResult, RevokedReason, Said},
};

/// Messages handed to the transport ahead of its sending them.
const MESSAGES_AHEAD: usize = 4;

/// Where the stream goes, and what it is expected to carry.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) descriptor: FlightDescriptor,
    pub(super) comeback: Comeback,
    pub(super) schema: SchemaRef,
}

struct Exchange {
    messages: mpsc::Sender<FlightData>,
    frames: Streaming<FlightData>,
}

enum End {
    /// Closed in order, and every outcome heard.
    Closed,
    Broken(Error),
}

pub(super) struct Session {
    target: Target,
    desk: Arc<Desk>,
    deliveries: mpsc::Sender<Result<Delivery, Error>>,
    trouble: watch::Sender<Option<String>>,
}

impl Session {
    pub(super) fn new(
        target: Target,
        desk: Arc<Desk>,
        deliveries: mpsc::Sender<Result<Delivery, Error>>,
        trouble: watch::Sender<Option<String>>,
    ) -> Self {
        Session {
            target,
            desk,
            deliveries,
            trouble,
        }
    }

    pub(super) async fn run(mut self) {
        loop {
            let end = match self.open().await {
                Ok(exchange) => self.pump(exchange).await,
                Err(error) => End::Broken(error),
            };
            let done = self.desk.with(|ledger| {
                ledger.break_stream();
                ledger.is_closing() && ledger.is_settled()
            });
            let error = match end {
                End::Broken(error) if !done => error,
                _ => return self.desk.with(|ledger| ledger.end(&Error::Closed)),
            };
            if self.target.comeback.is_final(&error) {
                self.desk.with(|ledger| ledger.end(&error));
                // Fails when the application is gone, or its buffer is full of deliveries, which end in `Closed` then.
                drop(self.deliveries.try_send(Err(error)));
                return;
            }
            tracing::warn!(%error, "the stream of a consumer broke; it comes back");
            self.trouble.send_replace(Some(error.to_string()));
            self.target.comeback.pause().await;
        }
    }

    async fn open(&mut self) -> Result<Exchange, Error> {
        let mut flight = self.target.comeback.connect().await?;
        let (messages, receiver) = mpsc::channel(MESSAGES_AHEAD);
        let first = FlightData::new()
            .with_descriptor(self.target.descriptor.clone())
            .with_app_metadata(metadata::hello());
        messages.send(first).await.map_err(|_| Error::Closed)?;
        let mut frames = flight
            .do_exchange(ReceiverStream::new(receiver))
            .await?
            .into_inner();
        let Some(first) = frames.message().await? else {
            return Err(Status::unavailable("the server ended the stream before its schema").into());
        };
        let schema = encode::read_schema(&first)?;
        if schema.fields() != self.target.schema.fields() {
            return Err(Status::failed_precondition("the emitter's output schema has changed").into());
        }
        self.trouble.send_replace(None);
        Ok(Exchange { messages, frames })
    }

    async fn pump(&mut self, exchange: Exchange) -> End {
        let Exchange { messages, mut frames } = exchange;
        // Dropping the sender half-closes the stream.
        let mut messages = Some(messages);
        let mut refused = false;
        loop {
            let (sends, done) = self
                .desk
                .with(|ledger| (ledger.has_message(), ledger.is_closing() && ledger.is_settled()));
            if done {
                messages = None;
            }
            tokio::select! {
                biased;
                frame = frames.message() => match frame {
                    Ok(Some(frame)) => if let Err(error) = self.heard(&frame) { return End::Broken(error) },
                    Ok(None) if done => return End::Closed,
                    Ok(None) => return End::Broken(Status::unavailable("the server ended the stream").into()),
                    Err(status) => return End::Broken(status.into()),
                },
                permit = reserve(messages.as_ref()), if sends && !refused => match permit {
                    Some(permit) => if let Some(said) = self.desk.with(|ledger| ledger.message()) {
                        permit.send(FlightData::new().with_app_metadata(said));
                    },
                    // The transport has stopped taking messages: the status of the stream comes next.
                    None => refused = true,
                },
                () = self.desk.changed() => {}
            }
        }
    }

    fn heard(&mut self, frame: &FlightData) -> Result<(), Error> {
        if frame.app_metadata.is_empty() {
            return Ok(());
        }
        match metadata::read(&frame.app_metadata)? {
            None => Ok(()),
            Some(Said::Delivery(message)) => self.delivered(message, frame),
            Some(Said::Outcome(reference, result)) => {
                let outcome = match result {
                    OutcomeResult::Confirmed => Outcome::Confirmed,
                    OutcomeResult::Retrying => Outcome::Retrying,
                    OutcomeResult::Rejected => Outcome::Rejected,
                    OutcomeResult::Stale => Outcome::Stale,
                    OutcomeResult::Unspecified => {
                        return Err(Error::Protocol("an outcome without a result".to_owned()));
                    }
                };
                self.desk.with(|ledger| ledger.outcome(&reference, outcome));
                Ok(())
            }
            Some(Said::Revoked(reference, reason)) => {
                let why = match reason {
                    RevokedReason::Timeout | RevokedReason::Unspecified => Revocation::Timeout,
                    RevokedReason::Stopped => Revocation::Stopped,
                    RevokedReason::Changed => Revocation::Changed,
                };
                self.desk.with(|ledger| ledger.revoked(&reference, why));
                Ok(())
            }
            Some(Said::Answer(..)) => Err(Error::Protocol("a put stream's answer on an exchange".to_owned())),
        }
    }

    fn delivered(&mut self, message: DeliveryMessage, frame: &FlightData) -> Result<(), Error> {
        self.target.comeback.succeeded();
        if self.desk.with(|ledger| ledger.is_closing()) {
            self.desk.with(|ledger| ledger.passed());
            return Ok(());
        }
        let rows = self.rows(frame)?;
        let facts = Facts {
            reference: message.r#ref,
            batch: message.batch,
            attempt: message.attempt,
            source: message.source,
            branch: message.branch,
            ack_timeout: Duration::from_millis(message.ack_timeout_ms),
        };
        let live = self.desk.with(|ledger| ledger.delivered(&facts.reference))?;
        let delivery = Delivery::new(facts, rows, live, Arc::clone(&self.desk));
        match self.deliveries.try_send(Ok(delivery)) {
            // A closed buffer drops the delivery, which gives it back as a retry.
            Ok(()) | Err(mpsc::error::TrySendError::Closed(_)) => Ok(()),
            Err(mpsc::error::TrySendError::Full(_)) => {
                Err(Error::Protocol("more deliveries than were granted".to_owned()))
            }
        }
    }

    fn rows(&self, frame: &FlightData) -> Result<RecordBatch, Error> {
        flight_data_to_arrow_batch(frame, Arc::clone(&self.target.schema), &HashMap::new())
            .map_err(|_| Error::Protocol("a delivery that is no record batch of the schema".to_owned()))
    }
}
