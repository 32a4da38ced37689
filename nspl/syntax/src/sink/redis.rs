//! `REDIS PUBSUB <client> CHANNEL <channel>` (emitters.txt "Redis Pub/Sub").

use crate::grammar::{Rule, external_name, name, phrase};
use crate::name::{ExternalName, Name};
use crate::printer::{Print, Printer};
use chumsky::prelude::Parser;

/// The Redis Pub/Sub destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RedisSink {
    /// The client.
    pub client: Name,
    /// The channel that is written.
    pub channel: ExternalName,
}

pub(crate) fn rule<'t>() -> Rule<'t, RedisSink> {
    let client = phrase("REDIS PUBSUB").ignore_then(name("a client name"));
    let channel = phrase("CHANNEL").ignore_then(external_name("a channel"));
    client
        .then(channel)
        .map(|(client, channel)| RedisSink { client, channel })
        .boxed()
}

impl Print for RedisSink {
    fn print(&self, printer: &mut Printer) {
        printer
            .put("REDIS PUBSUB ")
            .node(&self.client)
            .put(" CHANNEL ")
            .node(&self.channel);
    }
}
