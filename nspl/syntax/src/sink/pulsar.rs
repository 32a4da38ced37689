//! `PULSAR <client> TOPIC <topic>` (emitters.txt "Pulsar").

use crate::grammar::{Rule, external_name, name, phrase};
use crate::name::{ExternalName, Name};
use crate::printer::{Print, Printer};
use chumsky::prelude::Parser;

/// The Pulsar destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PulsarSink {
    /// The client.
    pub client: Name,
    /// The topic that is written.
    pub topic: ExternalName,
}

pub(crate) fn rule<'t>() -> Rule<'t, PulsarSink> {
    let client = phrase("PULSAR").ignore_then(name("a client name"));
    let topic = phrase("TOPIC").ignore_then(external_name("a topic"));
    client
        .then(topic)
        .map(|(client, topic)| PulsarSink { client, topic })
        .boxed()
}

impl Print for PulsarSink {
    fn print(&self, printer: &mut Printer) {
        printer
            .put("PULSAR ")
            .node(&self.client)
            .put(" TOPIC ")
            .node(&self.topic);
    }
}
