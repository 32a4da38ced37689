//! `RABBITMQ <client> QUEUE <queue>` (emitters.txt "RabbitMQ").

use crate::grammar::{Rule, external_name, name, phrase};
use crate::name::{ExternalName, Name};
use crate::printer::{Print, Printer};
use chumsky::prelude::Parser;

/// The RabbitMQ destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RabbitMqSink {
    /// The client.
    pub client: Name,
    /// The queue that is written.
    pub queue: ExternalName,
}

pub(crate) fn rule<'t>() -> Rule<'t, RabbitMqSink> {
    let client = phrase("RABBITMQ").ignore_then(name("a client name"));
    let queue = phrase("QUEUE").ignore_then(external_name("a queue"));
    client
        .then(queue)
        .map(|(client, queue)| RabbitMqSink { client, queue })
        .boxed()
}

impl Print for RabbitMqSink {
    fn print(&self, printer: &mut Printer) {
        printer
            .put("RABBITMQ ")
            .node(&self.client)
            .put(" QUEUE ")
            .node(&self.queue);
    }
}
