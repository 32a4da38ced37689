//! `PULSAR <client> TOPIC <topic>` (emitters.txt "Pulsar").

use crate::name::{ExternalName, Name};

/// The Pulsar destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PulsarSink {
    /// The client.
    pub client: Name,
    /// The topic that is written.
    pub topic: ExternalName,
}
