//! Publishing: records go to the producer in order, and what it still holds of them never a second time.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use nervix_sink::{Confirmation, Failure, FailureKind, Outcome, Payload, PayloadSink};

use crate::confirmation::Awaiting;
use crate::limits::{DRAIN_STEP, TAKE_BACK_MAX};
use crate::line::{Line, Place};
use crate::producer::{Producer, Settings};
use crate::reports::{Known, Reports};

/// The sink of one emitter.
#[derive(Debug)]
pub(crate) struct KafkaSink {
    settings: Settings,
    producer: Arc<Producer>,
    line: Line,
    /// The newest payload that was ever given: whatever is not newer is sent again.
    newest: Option<u64>,
}

impl KafkaSink {
    /// Makes its producer.
    ///
    /// # Errors
    /// What librdkafka says about the settings.
    pub(crate) async fn open(settings: Settings) -> Result<Self, Failure> {
        let producer = Producer::make(settings.clone(), Arc::default()).await?;
        Ok(Self {
            settings,
            producer: Arc::new(producer),
            line: Line::default(),
            newest: None,
        })
    }

    /// A producer that has failed for good is replaced by another.
    async fn renew(&mut self) -> Result<(), Failure> {
        if !self.producer.is_broken() {
            return Ok(());
        }
        self.producer.close().await;
        self.line.leave_behind();
        let reports = Arc::new(self.producer.reports.successor());
        let producer = Producer::make(self.settings.clone(), reports).await?;
        self.producer = Arc::new(producer);
        Ok(())
    }

    /// What is sent again is taken out of the producer's queue, as far as it is not on the wire. A producer that numbers its
    /// records is left alone: taking some out would tear the sequence, and the broker knows copies anyway.
    async fn take_back(&mut self, payloads: &[Arc<Payload>]) {
        self.line.leave_behind();
        let reports = Arc::clone(&self.producer.reports);
        if self.settings.config.is_idempotent || !reports.holds_any(payloads.iter().map(|payload| payload.id))
        {
            return;
        }
        self.producer.take_back();
        let emptied = self
            .settings
            .clock
            .timeout(TAKE_BACK_MAX, reports.emptied())
            .await;
        // What is left is on the wire, or its broker's thread is busy: its report is awaited.
        emptied.unwrap_or_default();
    }

    /// Starts the write of a payload that was given before.
    fn put_again(&mut self, payload: &Arc<Payload>) -> Result<Confirmation, Failure> {
        let reports = &self.producer.reports;
        match reports.resume(payload.id) {
            Known::Settled(outcome) => Ok(std::future::ready(outcome).boxed()),
            Known::InProducer(answer) => Ok(self.awaiting().outcome(payload.id, answer).boxed()),
            Known::Nothing if reports.is_suspect(payload.id) => Ok(self.queue(payload, true)),
            Known::Nothing => self.put(payload),
        }
    }

    /// Starts the write of a payload that the producer does not hold.
    fn put(&mut self, payload: &Arc<Payload>) -> Result<Confirmation, Failure> {
        if self.line.is_busy() {
            return Ok(self.queue(payload, false));
        }
        match self.producer.send(payload) {
            Ok(Some(answer)) => Ok(self.awaiting().outcome(payload.id, answer).boxed()),
            Ok(None) => Ok(std::future::ready(Outcome::DELIVERED).boxed()),
            Err(Outcome::Unresolved(failure)) => Err(failure),
            Err(outcome) => Ok(std::future::ready(outcome).boxed()),
        }
    }

    fn queue(&mut self, payload: &Arc<Payload>, is_alone: bool) -> Confirmation {
        let queued = Queued {
            place: self.line.join(),
            producer: Arc::clone(&self.producer),
            payload: Arc::clone(payload),
            is_alone,
        };
        queued.outcome(self.awaiting()).boxed()
    }

    fn awaiting(&self) -> Awaiting {
        Awaiting {
            reports: Arc::clone(&self.producer.reports),
            clock: self.settings.clock.clone(),
            grace: self.settings.trouble_grace,
        }
    }
}

/// A record that goes out when its turn comes.
struct Queued {
    place: Place,
    producer: Arc<Producer>,
    payload: Arc<Payload>,
    /// Whether it goes out alone, and the next only when it is reported.
    is_alone: bool,
}

impl Queued {
    async fn outcome(self, awaiting: Awaiting) -> Outcome {
        let Self {
            mut place,
            producer,
            payload,
            is_alone,
        } = self;
        if let Err(failure) = place.turn().await {
            return Outcome::Unresolved(failure);
        }
        if is_alone {
            awaiting.reports.emptied().await;
        }
        let answer = match producer.send(&payload) {
            Ok(Some(answer)) => answer,
            Ok(None) => return Outcome::DELIVERED,
            Err(outcome) => {
                if let Outcome::Unresolved(failure) = &outcome {
                    place.close(failure);
                }
                return outcome;
            }
        };
        let place = is_alone.then_some(place);
        let outcome = awaiting.outcome(payload.id, answer).await;
        drop(place);
        outcome
    }
}

impl PayloadSink for KafkaSink {
    fn publish<'a>(&'a mut self, payloads: &'a [Arc<Payload>]) -> BoxFuture<'a, Vec<Confirmation>> {
        Box::pin(async move {
            // Once a payload is not taken, none behind it is: it would overtake.
            let mut untaken = self.renew().await.err();
            let newest = self.newest;
            let is_again = move |payload: &Arc<Payload>| Some(payload.sequence) <= newest;
            if untaken.is_none() {
                self.newest = payloads.iter().map(|payload| payload.sequence).max().max(newest);
                if payloads.iter().any(is_again) {
                    self.take_back(payloads).await;
                }
            }
            let confirmations = payloads.iter().map(|payload| {
                let put = match &untaken {
                    Some(failure) => Err(failure.clone()),
                    None if is_again(payload) => self.put_again(payload),
                    None => self.put(payload),
                };
                put.unwrap_or_else(|failure| {
                    untaken = Some(failure.clone());
                    std::future::ready(Outcome::Unresolved(failure)).boxed()
                })
            });
            confirmations.collect()
        })
    }

    fn flush(&mut self) -> BoxFuture<'_, Result<(), Failure>> {
        // MODE NO_ACK completes when the producer has taken a record.
        Box::pin(std::future::ready(Ok(())))
    }

    fn drain(&mut self) -> BoxFuture<'_, Result<(), Failure>> {
        Box::pin(async move {
            if self.producer.reports.in_producer() > 0 {
                self.producer.hasten(DRAIN_STEP).await;
            }
            match self.producer.reports.in_producer() {
                0 => Ok(()),
                left => Err(unsent(&self.producer.reports, left)),
            }
        })
    }
}

fn unsent(reports: &Reports, left: usize) -> Failure {
    let message = format!(
        "{left} records are in the Kafka producer and not delivered yet{}",
        reports.hint()
    );
    let trouble = reports.trouble();
    Failure::new(
        trouble.map_or(FailureKind::TimedOut, |trouble| trouble.kind),
        message,
    )
}
