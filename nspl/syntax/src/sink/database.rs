//! `<database> <client> INSERT TO TABLE|COLLECTION <name> VALUES {...} [ON CONFLICT ...]` (emitters.txt "ClickHouse",
//! "Postgres", "MySQL", "MongoDB"). The databases differ in their words alone; which conflict policies each of them has
//! is the checker's rule.

use crate::expression::Expr;
use crate::grammar::{Rule, external_name, name, phrase};
use crate::name::{ExternalName, Name};
use crate::printer::Printer;
use crate::sink::conflict::{self, Conflict};
use crate::sink::values::{self, Values};
use chumsky::prelude::Parser;

/// A database as destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DatabaseSink {
    /// The client.
    pub client: Name,
    /// The table or collection that is written.
    pub table: ExternalName,
    /// The conflict policy; which forms the database has, if any, is the checker's rule.
    pub conflict: Option<Conflict>,
}

/// The words of one database.
#[derive(Clone, Copy)]
pub(super) struct Dialect {
    keyword: &'static str,
    insert: &'static str,
    /// What the name behind the insert is, for its label.
    what: &'static str,
}

pub(super) const CLICKHOUSE: Dialect = tables("CLICKHOUSE");
pub(super) const POSTGRES: Dialect = tables("POSTGRES");
pub(super) const MYSQL: Dialect = tables("MYSQL");
pub(super) const MONGODB: Dialect = Dialect {
    insert: "INSERT TO COLLECTION",
    what: "a collection",
    ..tables("MONGODB")
};

const fn tables(keyword: &'static str) -> Dialect {
    Dialect {
        keyword,
        insert: "INSERT TO TABLE",
        what: "a table",
    }
}

/// The destination with its VALUES, which stand before ON CONFLICT.
pub(super) fn rule<'t>(
    expression: &Rule<'t, Expr>,
    dialect: Dialect,
) -> Rule<'t, (DatabaseSink, Option<Values>)> {
    let client = phrase(dialect.keyword).ignore_then(name("a client name"));
    let table = phrase(dialect.insert).ignore_then(external_name(dialect.what));
    client
        .then(table)
        .then(values::rule(expression).or_not())
        .then(conflict::rule().or_not())
        .map(|(((client, table), values), conflict)| {
            let sink = DatabaseSink {
                client,
                table,
                conflict,
            };
            (sink, values)
        })
        .boxed()
}

impl DatabaseSink {
    /// Prints the destination with its VALUES, clauses on lines of their own indented by `columns`.
    pub(super) fn print_at(
        &self,
        printer: &mut Printer,
        columns: usize,
        (dialect, values): (Dialect, Option<&Values>),
    ) {
        printer
            .put(dialect.keyword)
            .put(" ")
            .node(&self.client)
            .put(" ")
            .put(dialect.insert)
            .put(" ")
            .node(&self.table);
        if let Some(values) = values {
            values.print_at(printer, columns);
        }
        printer.clause(columns, self.conflict.as_ref());
    }
}
