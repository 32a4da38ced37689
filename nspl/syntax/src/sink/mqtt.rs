//! `MQTT <client> TOPIC <topic>` (emitters.txt "MQTT").

use crate::grammar::{Rule, external_name, name, phrase};
use crate::name::{ExternalName, Name};
use crate::printer::{Print, Printer};
use chumsky::prelude::Parser;

/// The MQTT destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MqttSink {
    /// The client.
    pub client: Name,
    /// The topic that is written.
    pub topic: ExternalName,
}

pub(crate) fn rule<'t>() -> Rule<'t, MqttSink> {
    let client = phrase("MQTT").ignore_then(name("a client name"));
    let topic = phrase("TOPIC").ignore_then(external_name("a topic"));
    client
        .then(topic)
        .map(|(client, topic)| MqttSink { client, topic })
        .boxed()
}

impl Print for MqttSink {
    fn print(&self, printer: &mut Printer) {
        printer
            .put("MQTT ")
            .node(&self.client)
            .put(" TOPIC ")
            .node(&self.topic);
    }
}
