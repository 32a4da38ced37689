//! One producer of librdkafka.
//!
//! Invariants: a record that it takes stands in [`Reports`] until it is reported; making and ending a producer, which may
//! take time, happens beside the tasks of the node.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use nervix_budget::Budget;
use nervix_clock::PhysicalClock;
use nervix_sink::{Failure, FailureKind, Outcome, Payload, PayloadId, Rejection};
use parking_lot::Mutex;
use rdkafka::client::ClientContext;
use rdkafka::config::{FromClientConfigAndContext, RDKafkaLogLevel};
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::DeliveryResult;
use rdkafka::producer::{NoCustomPartitioner, Producer as _, ProducerContext, PurgeConfig, ThreadedProducer};
use tokio::runtime::Handle;

use crate::answer::verdict;
use crate::config::KafkaConfig;
use crate::limits::{HASTEN_AGAIN, RETIRE_MAX, record_bytes};
use crate::record::{record, value};
use crate::reports::{Answer, Reports};

/// What the sink of one emitter is made of.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) config: Arc<KafkaConfig>,
    pub(crate) topic: Arc<str>,
    /// Whether delivery reports are awaited: MODE ACK.
    pub(crate) confirms: bool,
    /// How long a known trouble is given to be over.
    pub(crate) trouble_grace: Duration,
    pub(crate) clock: PhysicalClock,
    /// For the copies that the producer makes.
    pub(crate) budget: Budget,
}

/// A producer with what it reports.
pub(crate) struct Producer {
    settings: Settings,
    pub(crate) reports: Arc<Reports>,
    /// None once it was closed.
    native: Mutex<Option<Native>>,
}

type Native = ThreadedProducer<Context>;

impl Producer {
    /// Makes one. Nothing is dialled yet.
    ///
    /// # Errors
    /// What librdkafka says about the settings.
    pub(crate) async fn make(settings: Settings) -> Result<Self, Failure> {
        let config = settings.config.native();
        let reports = Arc::<Reports>::default();
        let context = Context(Arc::clone(&reports));
        let making = tokio::task::spawn_blocking(move || Native::from_config_and_context(&config, context));
        let made = making
            .await
            .map_err(|_| refused("it did not end making a producer"))?;
        let native = made.map_err(|error| refused(&said(&error)))?;
        Ok(Self {
            settings,
            reports,
            native: Mutex::new(Some(native)),
        })
    }

    /// Hands a record over. In MODE ACK its answer is awaited.
    ///
    /// # Errors
    /// The outcome of a record that was not taken.
    pub(crate) fn send(&self, payload: &Payload) -> Result<Option<Answer>, Outcome> {
        let Settings {
            config,
            topic,
            confirms,
            budget,
            ..
        } = &self.settings;
        let bytes = record_bytes(payload);
        if bytes > config.message_max_bytes {
            return Err(too_large(bytes, config.message_max_bytes));
        }
        let held = budget.charge(bytes as u64);
        let answer = if *confirms {
            Some(self.reports.enter_awaited(payload.id, bytes, held))
        } else {
            self.reports.enter(payload.id, bytes, held);
            None
        };
        let value = value(payload);
        let sent = match &*self.native.lock() {
            Some(native) => native
                .send(record(topic, payload, &value))
                .map_err(|(error, _)| error),
            None => Err(KafkaError::Canceled),
        };
        match sent {
            Ok(()) => Ok(answer),
            Err(error) => {
                self.reports.withdraw(payload.id);
                Err(self.untaken(&error, bytes))
            }
        }
    }

    fn untaken(&self, error: &KafkaError, bytes: usize) -> Outcome {
        let hint = self.reports.hint();
        let failure = match error.rdkafka_error_code() {
            Some(RDKafkaErrorCode::MessageSizeTooLarge) => {
                return too_large(bytes, self.settings.config.message_max_bytes);
            }
            Some(RDKafkaErrorCode::QueueFull) => Failure::new(
                FailureKind::NodeBusy,
                format!(
                    "the Kafka producer's queue is full, by queue.buffering.max.messages or queue.buffering.max.kbytes{hint}"
                ),
            ),
            Some(code) => {
                let message = format!("the Kafka producer did not take a record: {code}{hint}");
                Failure::new(verdict(code).trouble(), message)
            }
            None => Failure::new(FailureKind::Unavailable, "the Kafka producer is closed"),
        };
        Outcome::Unresolved(failure)
    }

    /// Whether it can never send again.
    pub(crate) fn is_broken(&self) -> bool {
        let native = self.native.lock();
        native
            .as_ref()
            .is_none_or(|native| native.client().fatal_error().is_some())
    }

    /// Takes out of its queue what is not on the wire; each record is reported.
    pub(crate) fn take_back(&self) {
        if let Some(native) = &*self.native.lock() {
            native.purge(PurgeConfig::default().queue().non_blocking());
        }
    }

    /// Lets it send what it holds, without waiting for more to go along, for about `step` at most.
    pub(crate) fn hasten(&self, step: Duration) -> impl Future<Output = ()> + Send + use<> {
        let native = self.native.lock().clone();
        // It is asked for a moment each time, and a thread of a broker that wakes a moment later has heard nothing.
        let times = step.as_nanos() / HASTEN_AGAIN.as_nanos();
        async move {
            if let Some(native) = native {
                let hastening = move || (0..times).any(|_| native.flush(HASTEN_AGAIN).is_ok());
                // Whether it has sent everything is for the reports to say.
                tokio::task::spawn_blocking(hastening).await.unwrap_or_default();
            }
        }
    }

    /// Ends it with its connections, and waits for that within a bound.
    pub(crate) async fn close(&self) {
        let native = self.native.lock().take();
        let closing = tokio::task::spawn_blocking(move || drop(native));
        let closed = self.settings.clock.timeout(RETIRE_MAX, closing).await;
        // One that takes longer ends by itself.
        drop(closed);
    }
}

impl Drop for Producer {
    fn drop(&mut self) {
        let Some(native) = self.native.get_mut().take() else {
            return;
        };
        match Handle::try_current() {
            Ok(node) => drop(node.spawn_blocking(move || drop(native))),
            Err(_) => drop(native),
        }
    }
}

impl fmt::Debug for Producer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Producer")
            .field("reports", &self.reports)
            .finish_non_exhaustive()
    }
}

fn too_large(bytes: usize, most: usize) -> Outcome {
    Outcome::Rejected(Rejection::new(format!(
        "kafka rejected record: Kafka record of {bytes} bytes exceeds the client's message.max.bytes of {most} bytes"
    )))
}

fn refused(text: &str) -> Failure {
    Failure::new(
        FailureKind::Missing,
        format!("librdkafka refuses the properties of the client: {text}"),
    )
}

/// What librdkafka says, without the value that it says it of.
fn said(error: &KafkaError) -> String {
    match error {
        KafkaError::ClientConfig(_, text, property, value) => {
            let text = if value.is_empty() {
                text.clone()
            } else {
                text.replace(value.as_str(), "***")
            };
            format!("'{property}': {text}")
        }
        KafkaError::ClientCreation(text) => text.clone(),
        other => other.to_string(),
    }
}

/// What librdkafka calls back, on a thread of its own.
struct Context(Arc<Reports>);

impl ClientContext for Context {
    fn log(&self, _level: RDKafkaLogLevel, _facility: &str, _line: &str) {}

    fn stats_raw(&self, _statistics: &[u8]) {}

    fn error(&self, error: KafkaError, reason: &str) {
        if let Some(code) = error.rdkafka_error_code() {
            self.0.error(code, reason);
        }
    }
}

impl ProducerContext<NoCustomPartitioner> for Context {
    type DeliveryOpaque = Box<PayloadId>;

    fn delivery(&self, result: &DeliveryResult<'_>, id: Box<PayloadId>) {
        let result = match result {
            Ok(_) => Ok(()),
            Err((error, _)) => Err(error.rdkafka_error_code().unwrap_or(RDKafkaErrorCode::Unknown)),
        };
        self.0.report(*id, result);
    }
}
