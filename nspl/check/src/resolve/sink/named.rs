//! Sinks whose own clause is a CLIENT and, of most, one name of the outside system.

use std::sync::Arc;

use nspl_model::{
    ClientDef, ClientKind, KafkaSinkDef, MqttSinkDef, NatsSinkDef, PulsarSinkDef, RabbitMqSinkDef,
    RedisSinkDef, SentrySinkDef, SyslogSinkDef, ZeroMqSinkDef,
};
use nspl_syntax::sink::{kafka, mqtt, nats, pulsar, rabbitmq, redis, sentry, syslog, zeromq};
use nspl_syntax::{ExternalName, Name};

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

    /// A client of the kind, and the name of what is written there behind its word.
    fn addressed(
        &mut self,
        (client, kind): (&Name, ClientKind),
        (name, clause): (&ExternalName, &str),
        fault: fn(&str) -> Option<String>,
    ) -> Option<(Arc<ClientDef>, String)> {
        let client = self.client(client, kind);
        let name = self.external_name(name, clause, fault);
        client.zip(name)
    }

    pub(super) fn kafka_sink(&mut self, tree: &kafka::KafkaSink) -> Option<KafkaSinkDef> {
        let (client, name) = ((&tree.client, ClientKind::Kafka), (&tree.topic, "TOPIC"));
        let (client, topic) = self.addressed(client, name, KafkaSinkDef::topic_fault)?;
        Some(KafkaSinkDef { client, topic })
    }

    pub(super) fn pulsar_sink(&mut self, tree: &pulsar::PulsarSink) -> Option<PulsarSinkDef> {
        let (client, name) = ((&tree.client, ClientKind::Pulsar), (&tree.topic, "TOPIC"));
        let (client, topic) = self.addressed(client, name, PulsarSinkDef::topic_fault)?;
        Some(PulsarSinkDef { client, topic })
    }

    pub(super) fn rabbitmq_sink(&mut self, tree: &rabbitmq::RabbitMqSink) -> Option<RabbitMqSinkDef> {
        let (client, name) = ((&tree.client, ClientKind::RabbitMq), (&tree.queue, "QUEUE"));
        let (client, queue) = self.addressed(client, name, RabbitMqSinkDef::queue_fault)?;
        Some(RabbitMqSinkDef { client, queue })
    }

    pub(super) fn redis_sink(&mut self, tree: &redis::RedisSink) -> Option<RedisSinkDef> {
        let (client, name) = ((&tree.client, ClientKind::Redis), (&tree.channel, "CHANNEL"));
        let (client, channel) = self.addressed(client, name, RedisSinkDef::channel_fault)?;
        Some(RedisSinkDef { client, channel })
    }

    pub(super) fn mqtt_sink(&mut self, tree: &mqtt::MqttSink) -> Option<MqttSinkDef> {
        let (client, name) = ((&tree.client, ClientKind::Mqtt), (&tree.topic, "TOPIC"));
        let (client, topic) = self.addressed(client, name, MqttSinkDef::topic_fault)?;
        Some(MqttSinkDef { client, topic })
    }

    pub(super) fn nats_sink(&mut self, tree: &nats::NatsSink) -> Option<NatsSinkDef> {
        let (client, name) = ((&tree.client, ClientKind::Nats), (&tree.subject, "SUBJECT"));
        let (client, subject) = self.addressed(client, name, NatsSinkDef::subject_fault)?;
        Some(NatsSinkDef { client, subject })
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
