//! `MONGODB <client> INSERT TO COLLECTION <collection> VALUES {...} [ON CONFLICT ...]` (emitters.txt "MongoDB").

use crate::expression::Expr;
use crate::grammar::{Rule, external_name, name, phrase};
use crate::name::{ExternalName, Name};
use crate::printer::{Print, Printer};
use crate::sink::conflict::{self, Conflict};
use crate::sink::values::{self, Values};
use chumsky::prelude::Parser;

/// The MongoDB destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MongoDbSink {
    /// The client.
    pub client: Name,
    /// The collection that is written.
    pub collection: ExternalName,
    /// The conflict policy; which forms it may have is the checker's rule.
    pub conflict: Option<Conflict>,
}

/// The destination with its VALUES, which stand before ON CONFLICT.
pub(crate) fn rule<'t>(expression: &Rule<'t, Expr>) -> Rule<'t, (MongoDbSink, Option<Values>)> {
    let client = phrase("MONGODB").ignore_then(name("a client name"));
    let collection = phrase("INSERT TO COLLECTION").ignore_then(external_name("a collection"));
    client
        .then(collection)
        .then(values::rule(expression).or_not())
        .then(conflict::rule().or_not())
        .map(|(((client, collection), values), conflict)| {
            (
                MongoDbSink {
                    client,
                    collection,
                    conflict,
                },
                values,
            )
        })
        .boxed()
}

impl Print for MongoDbSink {
    fn print(&self, printer: &mut Printer) {
        printer
            .put("MONGODB ")
            .node(&self.client)
            .put(" INSERT TO COLLECTION ")
            .node(&self.collection);
    }
}
