//! `ZEROMQ <client>` (emitters.txt "ZeroMQ").

use crate::grammar::{Rule, keyword, name};
use crate::name::Name;
use crate::printer::{Print, Printer};
use chumsky::prelude::Parser;

/// The ZeroMQ destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ZeroMqSink {
    /// The client.
    pub client: Name,
}

pub(crate) fn rule<'t>() -> Rule<'t, ZeroMqSink> {
    keyword("ZEROMQ")
        .ignore_then(name("a client name"))
        .map(|client| ZeroMqSink { client })
        .boxed()
}

impl Print for ZeroMqSink {
    fn print(&self, printer: &mut Printer) {
        printer.put("ZEROMQ ").node(&self.client);
    }
}
