//! `TO MQTT c TOPIC t`: one PUBLISH packet a payload (emitters.txt "MQTT").

use std::sync::Arc;

use crate::{Capabilities, ClientDef, ModeForm, ModeRule, SinkKind};

/// The most bytes of a topic name, an MQTT UTF-8 string.
const TOPIC_BYTES_MAX: usize = 65_535;

/// The sink's own part of an emitter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MqttSinkDef {
    /// How to reach the broker.
    pub client: Arc<ClientDef>,
    /// The topic that is written.
    pub topic: String,
}

impl MqttSinkDef {
    /// Why a PUBLISH could never name such a topic.
    pub fn topic_fault(topic: &str) -> Option<String> {
        if topic.is_empty() {
            return Some("a topic has at least one character".into());
        }
        if topic.len() > TOPIC_BYTES_MAX {
            return Some(format!("a topic has at most {TOPIC_BYTES_MAX} bytes"));
        }
        if topic.contains(['+', '#']) {
            return Some(
                "'+' and '#' stand for topics in subscriptions; a message is published to one topic".into(),
            );
        }
        topic
            .contains(char::is_control)
            .then(|| "a topic holds no control characters".into())
    }
}

pub(super) const CAPABILITIES: Capabilities = Capabilities::payload(
    SinkKind::Mqtt,
    &[
        ModeRule::plain(ModeForm::Qos0),
        ModeRule::confirmed(ModeForm::Qos1),
        ModeRule::confirmed(ModeForm::Qos2),
    ],
);
