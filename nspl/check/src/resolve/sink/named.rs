//! Sinks whose own clause is a CLIENT and, of most, one name of the outside system.

use nspl_model::{
    ClientKind, KafkaSinkDef, MqttSinkDef, NatsSinkDef, PulsarSinkDef, RabbitMqSinkDef, RedisSinkDef,
    SentrySinkDef, SyslogSinkDef, ZeroMqSinkDef,
};
use nspl_syntax::ExternalName;
use nspl_syntax::sink::{kafka, mqtt, nats, pulsar, rabbitmq, redis, sentry, syslog, zeromq};

use super::Resolver;
use crate::rules;

impl Resolver<'_> {
    /// A name of the outside system; `fault` says why it could not be one there.
    pub(in crate::resolve) fn external_name(
        &mut self,
        tree: &ExternalName,
        clause: &str,
        fault: fn(&str) -> Option<String>,
    ) -> Option<String> {
        match fault(&tree.text) {
            None => Some(tree.text.clone()),
            Some(why) => {
                self.faults
                    .push(rules::external_name::fault(tree.span, clause, &why));
                None
            }
        }
    }

    pub(super) fn kafka_sink(&mut self, tree: &kafka::KafkaSink) -> Option<KafkaSinkDef> {
        let client = self.client(&tree.client, ClientKind::Kafka);
        let topic = self.external_name(&tree.topic, "TOPIC", KafkaSinkDef::topic_fault);
        Some(KafkaSinkDef {
            client: client?,
            topic: topic?,
        })
    }

    pub(super) fn pulsar_sink(&mut self, tree: &pulsar::PulsarSink) -> Option<PulsarSinkDef> {
        let client = self.client(&tree.client, ClientKind::Pulsar);
        let topic = self.external_name(&tree.topic, "TOPIC", PulsarSinkDef::topic_fault);
        Some(PulsarSinkDef {
            client: client?,
            topic: topic?,
        })
    }

    pub(super) fn rabbitmq_sink(&mut self, tree: &rabbitmq::RabbitMqSink) -> Option<RabbitMqSinkDef> {
        let client = self.client(&tree.client, ClientKind::RabbitMq);
        let queue = self.external_name(&tree.queue, "QUEUE", RabbitMqSinkDef::queue_fault);
        Some(RabbitMqSinkDef {
            client: client?,
            queue: queue?,
        })
    }

    pub(super) fn redis_sink(&mut self, tree: &redis::RedisSink) -> Option<RedisSinkDef> {
        let client = self.client(&tree.client, ClientKind::Redis);
        let channel = self.external_name(&tree.channel, "CHANNEL", RedisSinkDef::channel_fault);
        Some(RedisSinkDef {
            client: client?,
            channel: channel?,
        })
    }

    pub(super) fn mqtt_sink(&mut self, tree: &mqtt::MqttSink) -> Option<MqttSinkDef> {
        let client = self.client(&tree.client, ClientKind::Mqtt);
        let topic = self.external_name(&tree.topic, "TOPIC", MqttSinkDef::topic_fault);
        Some(MqttSinkDef {
            client: client?,
            topic: topic?,
        })
    }

    pub(super) fn nats_sink(&mut self, tree: &nats::NatsSink) -> Option<NatsSinkDef> {
        let client = self.client(&tree.client, ClientKind::Nats);
        let subject = self.external_name(&tree.subject, "SUBJECT", NatsSinkDef::subject_fault);
        Some(NatsSinkDef {
            client: client?,
            subject: subject?,
        })
    }

    pub(super) fn zeromq_sink(&mut self, tree: &zeromq::ZeroMqSink) -> Option<ZeroMqSinkDef> {
        let client = self.client(&tree.client, ClientKind::ZeroMq)?;
        Some(ZeroMqSinkDef { client })
    }

    pub(super) fn syslog_sink(&mut self, tree: &syslog::SyslogSink) -> Option<SyslogSinkDef> {
        let client = self.client(&tree.client, ClientKind::Syslog)?;
        Some(SyslogSinkDef { client })
    }

    pub(super) fn sentry_sink(&mut self, tree: &sentry::SentrySink) -> Option<SentrySinkDef> {
        let client = self.client(&tree.client, ClientKind::Sentry)?;
        Some(SentrySinkDef { client })
    }
}
