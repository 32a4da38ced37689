//! `KAFKA <client> TOPIC <topic>` (emitters.txt "Kafka").

use crate::grammar::{Rule, external_name, name, phrase};
use crate::name::{ExternalName, Name};
use crate::printer::{Print, Printer};
use chumsky::prelude::Parser;

/// The Kafka destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KafkaSink {
    /// The client.
    pub client: Name,
    /// The topic that is written.
    pub topic: ExternalName,
}

pub(crate) fn rule<'t>() -> Rule<'t, KafkaSink> {
    let client = phrase("KAFKA").ignore_then(name("a client name"));
    let topic = phrase("TOPIC").ignore_then(external_name("a topic"));
    client
        .then(topic)
        .map(|(client, topic)| KafkaSink { client, topic })
        .boxed()
}

impl Print for KafkaSink {
    fn print(&self, printer: &mut Printer) {
        printer
            .put("KAFKA ")
            .node(&self.client)
            .put(" TOPIC ")
            .node(&self.topic);
    }
}
