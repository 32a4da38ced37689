//! `RABBITMQ <client> QUEUE <queue>` (emitters.txt "RabbitMQ").

use crate::name::{ExternalName, Name};

/// The RabbitMQ destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RabbitMqSink {
    /// The client.
    pub client: Name,
    /// The queue that is written.
    pub queue: ExternalName,
}
