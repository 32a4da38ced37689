//! `TO PULSAR c TOPIC t`: one Pulsar message a payload (emitters.txt "Pulsar").

use std::sync::Arc;

use super::text;
use crate::{Capabilities, ClientDef, HeaderRule, ModeForm, ModeRule, SinkKind};

/// The sink's own part of an emitter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PulsarSinkDef {
    /// How to reach the brokers; its `namespace` completes a short topic.
    pub client: Arc<ClientDef>,
    /// The topic that is written, short or fully qualified.
    pub topic: String,
}

impl PulsarSinkDef {
    /// Why a broker could never have such a topic.
    pub fn topic_fault(topic: &str) -> Option<String> {
        if let Some(fault) = text::fault(topic, "a topic") {
            return Some(fault);
        }
        let (scheme, path) = topic.split_once("://")?;
        let named = matches!(scheme, "persistent" | "non-persistent");
        let parts: Vec<&str> = path.splitn(3, '/').collect();
        let complete = parts.len() == 3 && parts.iter().all(|part| !part.is_empty());
        (!named || !complete).then(|| {
            "a fully qualified topic is persistent://<tenant>/<namespace>/<topic>, or non-persistent://...".into()
        })
    }
}

pub(super) const CAPABILITIES: Capabilities = Capabilities {
    headers: HeaderRule::LastWins,
    ..Capabilities::payload(
        SinkKind::Pulsar,
        &[ModeRule::NO_ACK, ModeRule::confirmed(ModeForm::Ack)],
    )
};
