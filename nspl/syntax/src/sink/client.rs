//! `CLIENT SCHEMA <schema>`: the session sink that applications read through Arrow Flight (emitters.txt "Client
//! emitters"). It uses no CLIENT object.

use crate::grammar::{Rule, name, phrase};
use crate::name::Name;
use crate::printer::{Print, Printer};
use chumsky::prelude::Parser;

/// The client session destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ClientSink {
    /// The exact output schema.
    pub schema: Name,
}

pub(crate) fn rule<'t>() -> Rule<'t, ClientSink> {
    phrase("CLIENT SCHEMA")
        .ignore_then(name("a schema name"))
        .map(|schema| ClientSink { schema })
        .boxed()
}

impl Print for ClientSink {
    fn print(&self, printer: &mut Printer) {
        printer.put("CLIENT SCHEMA ").node(&self.schema);
    }
}
