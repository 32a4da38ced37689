//! `MQTT <client> TOPIC <topic>` (emitters.txt "MQTT").

use crate::name::{ExternalName, Name};

/// The MQTT destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MqttSink {
    /// The client.
    pub client: Name,
    /// The topic that is written.
    pub topic: ExternalName,
}
