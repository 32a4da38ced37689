//! Publishing: records go to the producer in order, and what it still holds of them never a second time.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use nervix_sink::{Confirmation, Failure, FailureKind, Outcome, Payload, PayloadSink, Unsent};

use crate::confirmation::Awaiting;
use crate::limits::{HASTEN_STEP, TAKE_BACK_MAX, record_bytes};
use crate::producer::{Producer, Settings};
use crate::reports::{Known, Reports};

/// The sink of one emitter.
#[derive(Debug)]
pub(crate) struct KafkaSink {
    settings: Settings,
    producer: Producer,
    /// The newest payload that was ever put: whatever is not newer is sent again.
    newest: Option<u64>,
}

impl KafkaSink {
    /// Makes its producer.
    ///
    /// # Errors
    /// What librdkafka says about the settings.
    pub(crate) async fn open(settings: Settings) -> Result<Self, Failure> {
        let producer = Producer::make(settings.clone()).await?;
        Ok(Self {
            settings,
            producer,
            newest: None,
        })
    }

    /// A producer that has failed for good is replaced by another, which knows what was found out before.
    async fn renew(&mut self) -> Result<(), Failure> {
        if !self.producer.is_broken() {
            return Ok(());
        }
        self.producer.close().await;
        let producer = Producer::make(self.settings.clone()).await?;
        producer.reports.succeed(&self.producer.reports);
        self.producer = producer;
        Ok(())
    }

    /// Before something is sent again the producer's queue is emptied, as far as it is not on the wire: everything that was
    /// out has failed, and what is newer is not to overtake it. A producer that numbers its records is left alone: taking
    /// some out would tear the sequence, and the broker knows copies anyway. So is one that nobody waits for: what it took
    /// counts as delivered.
    async fn take_back(&mut self) {
        let reports = &self.producer.reports;
        let Settings { config, confirms, .. } = &self.settings;
        if config.is_idempotent || !confirms || reports.in_producer() == 0 {
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

    /// How many payloads of a write may go out now, while the producer holds `others`. After a request was refused as a whole
    /// a write goes alone and has a bound; what is behind it comes when all of it is answered.
    fn takes(&self, payloads: &[Arc<Payload>], others: usize, is_again: bool) -> usize {
        let reports = &self.producer.reports;
        if !reports.is_bounded() {
            return payloads.len();
        }
        if others > 0 {
            // One that is sent again may be among them, or learns that it has to wait.
            return usize::from(is_again);
        }
        let Some(bound) = reports.next_bound() else {
            return payloads.len();
        };
        let sums = payloads.iter().scan(0, |sum: &mut usize, payload| {
            *sum = sum.saturating_add(record_bytes(payload));
            Some(*sum)
        });
        sums.take_while(|sum| *sum <= bound).count().max(1)
    }

    /// Starts the write of a payload, or goes on with that of an attempt before.
    fn put(&self, payload: &Arc<Payload>, is_again: bool, others: usize) -> Result<Confirmation, Failure> {
        let reports = &self.producer.reports;
        let known = match is_again {
            true => reports.resume(payload.id),
            false => Known::Nothing,
        };
        let answer = match known {
            Known::Settled(outcome) => return Ok(std::future::ready(outcome).boxed()),
            Known::InProducer(answer) => Some(answer),
            Known::Nothing if others > 0 && reports.is_bounded() => {
                return Err(unsent(reports, others).failure);
            }
            Known::Nothing => match self.producer.send(payload) {
                Ok(answer) => answer,
                Err(Outcome::Unresolved(failure)) => return Err(failure),
                Err(outcome) => return Ok(std::future::ready(outcome).boxed()),
            },
        };
        Ok(match answer {
            Some(answer) => self.awaiting().outcome(payload.id, answer).boxed(),
            None => std::future::ready(Outcome::DELIVERED).boxed(),
        })
    }

    /// Nothing comes to go along with a write that goes alone: it is not kept for `linger.ms`.
    fn hasten(&self, confirmations: &mut [Confirmation]) {
        let Some(first) = confirmations.first_mut() else {
            return;
        };
        let mut outcome = std::mem::replace(first, std::future::pending().boxed());
        let hastened = self.producer.hasten(HASTEN_STEP);
        *first = async move {
            tokio::select! {
                biased;
                outcome = &mut outcome => return outcome,
                () = hastened => {}
            }
            outcome.await
        }
        .boxed();
    }

    fn awaiting(&self) -> Awaiting {
        Awaiting {
            reports: Arc::clone(&self.producer.reports),
            clock: self.settings.clock.clone(),
            grace: self.settings.trouble_grace,
        }
    }
}

impl PayloadSink for KafkaSink {
    fn publish<'a>(&'a mut self, payloads: &'a [Arc<Payload>]) -> BoxFuture<'a, Vec<Confirmation>> {
        Box::pin(async move {
            if let Err(failure) = self.renew().await {
                return vec![failed(failure)];
            }
            let newest = self.newest;
            let is_again = move |payload: &Arc<Payload>| Some(payload.sequence) <= newest;
            let begins_again = payloads.first().is_some_and(is_again);
            if begins_again {
                self.take_back().await;
            }
            let others = self.producer.reports.in_producer();
            let mut confirmations = Vec::with_capacity(payloads.len());
            for payload in &payloads[..self.takes(payloads, others, begins_again)] {
                self.newest = self.newest.max(Some(payload.sequence));
                match self.put(payload, is_again(payload), others) {
                    Ok(confirmation) => confirmations.push(confirmation),
                    Err(failure) => {
                        // Nothing is taken behind it: it would overtake.
                        confirmations.push(failed(failure));
                        break;
                    }
                }
            }
            if self.producer.reports.is_bounded() {
                self.hasten(&mut confirmations);
            }
            confirmations
        })
    }

    fn flush(&mut self) -> BoxFuture<'_, Result<(), Failure>> {
        // MODE NO_ACK completes when the producer has taken a record.
        Box::pin(std::future::ready(Ok(())))
    }

    fn drain(&mut self) -> BoxFuture<'_, Result<(), Unsent>> {
        Box::pin(async move {
            if self.producer.reports.in_producer() > 0 {
                self.producer.hasten(HASTEN_STEP).await;
            }
            match self.producer.reports.in_producer() {
                0 => Ok(()),
                left => Err(unsent(&self.producer.reports, left)),
            }
        })
    }
}

fn failed(failure: Failure) -> Confirmation {
    std::future::ready(Outcome::Unresolved(failure)).boxed()
}

fn unsent(reports: &Reports, left: usize) -> Unsent {
    let message = format!(
        "{left} records are in the Kafka producer and not delivered yet{}",
        reports.hint()
    );
    let kind = reports
        .trouble()
        .map_or(FailureKind::TimedOut, |trouble| trouble.kind);
    Unsent {
        payloads: left as u64,
        failure: Failure::new(kind, message),
    }
}
