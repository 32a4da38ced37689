//! `TO RABBITMQ c QUEUE q`: one AMQP message a payload (emitters.txt "RabbitMQ").

use std::sync::Arc;

use super::text;
use crate::{Capabilities, ClientDef, HeaderForm, HeaderRule, ModeForm, ModeRule, SinkKind};

/// The most bytes of a queue's name, an AMQP short string.
const QUEUE_BYTES_MAX: usize = 255;

/// The sink's own part of an emitter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RabbitMqSinkDef {
    /// How to reach the broker.
    pub client: Arc<ClientDef>,
    /// The queue that is written.
    pub queue: String,
}

impl RabbitMqSinkDef {
    /// Why a broker could never have such a queue.
    pub fn queue_fault(queue: &str) -> Option<String> {
        let long = || format!("a queue's name has at most {QUEUE_BYTES_MAX} bytes");
        text::fault(queue, "a queue").or_else(|| (queue.len() > QUEUE_BYTES_MAX).then(long))
    }
}

pub(super) const CAPABILITIES: Capabilities = Capabilities {
    header_form: HeaderForm::AmqpField,
    headers: HeaderRule::LastWins,
    ..Capabilities::payload(
        SinkKind::RabbitMq,
        &[ModeRule::NO_ACK, ModeRule::confirmed(ModeForm::Ack)],
    )
};
