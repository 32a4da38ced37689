//! `TO NATS c SUBJECT s`: one message a payload (emitters.txt "NATS").

use std::sync::Arc;

use super::text;
use crate::{Capabilities, ClientDef, HeaderForm, HeaderRule, ModeForm, ModeRule, SinkKind};

/// The sink's own part of an emitter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NatsSinkDef {
    /// How to reach the servers.
    pub client: Arc<ClientDef>,
    /// The subject that is written.
    pub subject: String,
}

impl NatsSinkDef {
    /// Why nothing could ever be published to such a subject.
    pub fn subject_fault(subject: &str) -> Option<String> {
        if let Some(fault) = text::fault(subject, "a subject") {
            return Some(fault);
        }
        if subject.split('.').any(str::is_empty) {
            return Some("a subject is made of words with one '.' between them".into());
        }
        subject.split('.').any(|word| matches!(word, "*" | ">")).then(|| {
            "'*' and '>' stand for subjects in subscriptions; a message is published to one subject".into()
        })
    }
}

pub(super) const CAPABILITIES: Capabilities = Capabilities {
    header_form: HeaderForm::NatsHeader,
    headers: HeaderRule::Repeated,
    ..Capabilities::payload(
        SinkKind::Nats,
        &[ModeRule::NO_ACK, ModeRule::confirmed(ModeForm::JetStream)],
    )
};
