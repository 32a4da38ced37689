//! `SYSLOG <client>` (emitters.txt "Syslog").

use crate::grammar::{Rule, keyword, name};
use crate::name::Name;
use crate::printer::{Print, Printer};
use chumsky::prelude::Parser;

/// The Syslog destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SyslogSink {
    /// The client.
    pub client: Name,
}

pub(crate) fn rule<'t>() -> Rule<'t, SyslogSink> {
    keyword("SYSLOG")
        .ignore_then(name("a client name"))
        .map(|client| SyslogSink { client })
        .boxed()
}

impl Print for SyslogSink {
    fn print(&self, printer: &mut Printer) {
        printer.put("SYSLOG ").node(&self.client);
    }
}
