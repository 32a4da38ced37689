//! `CLICKHOUSE <client> INSERT TO TABLE <table>` (emitters.txt "ClickHouse").

use crate::expression::Expr;
use crate::grammar::{Rule, external_name, name, phrase};
use crate::name::{ExternalName, Name};
use crate::printer::{Print, Printer};
use crate::sink::values::{self, Values};
use chumsky::prelude::Parser;

/// The ClickHouse destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ClickHouseSink {
    /// The client.
    pub client: Name,
    /// The table that is written.
    pub table: ExternalName,
}

/// The destination with its VALUES.
pub(crate) fn rule<'t>(expression: &Rule<'t, Expr>) -> Rule<'t, (ClickHouseSink, Option<Values>)> {
    let client = phrase("CLICKHOUSE").ignore_then(name("a client name"));
    let table = phrase("INSERT TO TABLE").ignore_then(external_name("a table"));
    let parts = client.then(table).then(values::rule(expression).or_not());
    parts
        .map(|((client, table), values)| (ClickHouseSink { client, table }, values))
        .boxed()
}

impl Print for ClickHouseSink {
    fn print(&self, printer: &mut Printer) {
        printer
            .put("CLICKHOUSE ")
            .node(&self.client)
            .put(" INSERT TO TABLE ")
            .node(&self.table);
    }
}
