//! What the emitters of one TYPE KAFKA client share: its settings. Each has a producer of its own, so that a topic that is
//! dead stalls no other.

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use nervix_clock::PhysicalInstant;
use nervix_sink::{Failure, FailureKind, OpenError, OpenSink, PayloadSink, SinkClient, SinkContext, World};
use nspl_model::{ClientDef, Confirmation, EmitterDef, SinkDef};

use crate::config::KafkaConfig;
use crate::limits::TROUBLE_GRACE_MAX;
use crate::producer::Settings;
use crate::publish::KafkaSink;

/// Reads the settings of `client`. Nothing is dialled, here or when a sink is opened: librdkafka does when it likes.
///
/// # Errors
/// When a setting is missing, or one that no emitter can do with.
pub fn connect(client: &Arc<ClientDef>, _world: World) -> Result<Arc<dyn SinkClient>, OpenError> {
    Ok(Arc::new(KafkaClient {
        config: Arc::new(KafkaConfig::read(client)?),
    }))
}

/// A sink of its own on `topic`: for whoever has no worker around it. `ack_timeout`: none for MODE NO_ACK.
///
/// # Errors
/// What librdkafka says about the settings.
pub async fn open_alone(
    client: &ClientDef,
    topic: &str,
    ack_timeout: Option<Duration>,
    world: World,
) -> Result<Box<dyn PayloadSink>, OpenError> {
    let config = Arc::new(KafkaConfig::read(client)?);
    open(settings(config, topic, ack_timeout.map(Some), world)).await
}

struct KafkaClient {
    config: Arc<KafkaConfig>,
}

impl SinkClient for KafkaClient {
    fn open(
        &self,
        def: Arc<EmitterDef>,
        context: SinkContext,
    ) -> BoxFuture<'static, Result<OpenSink, OpenError>> {
        let config = Arc::clone(&self.config);
        Box::pin(async move {
            let SinkDef::Kafka(sink) = &def.sink else {
                let message = format!("emitter '{}' does not write to Kafka", def.name);
                return Err(OpenError::Unavailable(Failure::new(
                    FailureKind::Missing,
                    message,
                )));
            };
            let ack_timeout = match def.mode.confirmation {
                Confirmation::None => None,
                Confirmation::Acked { timeout, .. } => Some(timeout),
            };
            let settings = settings(config, &sink.topic, ack_timeout, context.world);
            open(settings).await.map(OpenSink::Payload)
        })
    }

    fn drain(&self, _deadline: PhysicalInstant) -> BoxFuture<'_, ()> {
        // Producers end with their emitters.
        Box::pin(std::future::ready(()))
    }
}

/// `ack_timeout`: none where nothing is confirmed; of what is, its bound, where it has one.
fn settings(
    config: Arc<KafkaConfig>,
    topic: &str,
    ack_timeout: Option<Option<Duration>>,
    world: World,
) -> Settings {
    let half = ack_timeout.flatten().map(|timeout| timeout / 2);
    Settings {
        config,
        topic: topic.into(),
        confirms: ack_timeout.is_some(),
        trouble_grace: half.map_or(TROUBLE_GRACE_MAX, |half| half.min(TROUBLE_GRACE_MAX)),
        clock: world.clock,
        budget: world.budget,
    }
}

async fn open(settings: Settings) -> Result<Box<dyn PayloadSink>, OpenError> {
    let sink = KafkaSink::open(settings).await.map_err(OpenError::Unavailable)?;
    Ok(Box::new(sink))
}
