//! `POSTGRES <client> INSERT TO TABLE <table> VALUES {...} [ON CONFLICT ...]` (emitters.txt "Postgres").

use crate::expression::Expr;
use crate::grammar::{Rule, external_name, name, phrase};
use crate::name::{ExternalName, Name};
use crate::printer::{Print, Printer};
use crate::sink::conflict::{self, Conflict};
use crate::sink::values::{self, Values};
use chumsky::prelude::Parser;

/// The Postgres destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PostgresSink {
    /// The client.
    pub client: Name,
    /// The table that is written.
    pub table: ExternalName,
    /// The conflict policy; which forms it may have is the checker's rule.
    pub conflict: Option<Conflict>,
}

/// The destination with its VALUES, which stand before ON CONFLICT.
pub(crate) fn rule<'t>(expression: &Rule<'t, Expr>) -> Rule<'t, (PostgresSink, Option<Values>)> {
    let client = phrase("POSTGRES").ignore_then(name("a client name"));
    let table = phrase("INSERT TO TABLE").ignore_then(external_name("a table"));
    client
        .then(table)
        .then(values::rule(expression).or_not())
        .then(conflict::rule().or_not())
        .map(|(((client, table), values), conflict)| {
            (
                PostgresSink {
                    client,
                    table,
                    conflict,
                },
                values,
            )
        })
        .boxed()
}

impl Print for PostgresSink {
    fn print(&self, printer: &mut Printer) {
        printer
            .put("POSTGRES ")
            .node(&self.client)
            .put(" INSERT TO TABLE ")
            .node(&self.table);
    }
}
