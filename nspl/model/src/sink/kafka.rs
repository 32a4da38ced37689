//! `TO KAFKA c TOPIC t`: one Kafka record a payload (emitters.txt "Kafka").

use std::sync::Arc;

use crate::{Build, Capabilities, ClientDef, HeaderForm, HeaderRule, ModeForm, ModeRule, SinkKind};

/// The most characters of a topic's name.
const TOPIC_CHARS_MAX: usize = 249;

/// The sink's own part of an emitter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KafkaSinkDef {
    /// How to reach the brokers.
    pub client: Arc<ClientDef>,
    /// The topic that is written.
    pub topic: String,
}

impl KafkaSinkDef {
    /// Why a broker could never have such a topic.
    pub fn topic_fault(topic: &str) -> Option<String> {
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        if topic.len() > TOPIC_CHARS_MAX {
            return Some(format!("a topic has at most {TOPIC_CHARS_MAX} characters"));
        }
        let fits = !matches!(topic, "" | "." | "..") && topic.chars().all(allowed);
        (!fits).then(|| "a topic is made of A-Z, a-z, 0-9, '.', '_' and '-', and is not '.' or '..'".into())
    }
}

pub(super) const CAPABILITIES: Capabilities = Capabilities {
    build: Build::Feature("kafka"),
    header_form: HeaderForm::KafkaHeader,
    headers: HeaderRule::Repeated,
    ..Capabilities::payload(
        SinkKind::Kafka,
        &[ModeRule::NO_ACK, ModeRule::confirmed(ModeForm::Ack)],
    )
};
