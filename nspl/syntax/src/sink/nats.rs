//! `NATS <client> SUBJECT <subject>` (emitters.txt "NATS").

use crate::grammar::{Rule, external_name, name, phrase};
use crate::name::{ExternalName, Name};
use crate::printer::{Print, Printer};
use chumsky::prelude::Parser;

/// The NATS destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NatsSink {
    /// The client.
    pub client: Name,
    /// The subject that is written.
    pub subject: ExternalName,
}

pub(crate) fn rule<'t>() -> Rule<'t, NatsSink> {
    let client = phrase("NATS").ignore_then(name("a client name"));
    let subject = phrase("SUBJECT").ignore_then(external_name("a subject"));
    client
        .then(subject)
        .map(|(client, subject)| NatsSink { client, subject })
        .boxed()
}

impl Print for NatsSink {
    fn print(&self, printer: &mut Printer) {
        printer
            .put("NATS ")
            .node(&self.client)
            .put(" SUBJECT ")
            .node(&self.subject);
    }
}
