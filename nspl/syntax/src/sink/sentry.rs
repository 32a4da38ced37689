//! `SENTRY <client>` (emitters.txt "Sentry").

use crate::grammar::{Rule, keyword, name};
use crate::name::Name;
use crate::printer::{Print, Printer};
use chumsky::prelude::Parser;

/// The Sentry destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SentrySink {
    /// The client.
    pub client: Name,
}

pub(crate) fn rule<'t>() -> Rule<'t, SentrySink> {
    keyword("SENTRY")
        .ignore_then(name("a client name"))
        .map(|client| SentrySink { client })
        .boxed()
}

impl Print for SentrySink {
    fn print(&self, printer: &mut Printer) {
        printer.put("SENTRY ").node(&self.client);
    }
}
