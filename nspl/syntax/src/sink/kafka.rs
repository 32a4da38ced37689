//! `KAFKA <client> TOPIC <topic>` (emitters.txt "Kafka").

use crate::name::{ExternalName, Name};

/// The Kafka destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KafkaSink {
    /// The client.
    pub client: Name,
    /// The topic that is written.
    pub topic: ExternalName,
}
