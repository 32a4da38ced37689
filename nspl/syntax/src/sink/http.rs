//! `HTTP <client> METHOD <expr> PATH <expr>` (emitters.txt "HTTP request configuration").

use crate::expression::Expr;
use crate::grammar::{Rule, keyword, name};
use crate::name::Name;
use crate::printer::Printer;
use chumsky::prelude::Parser;

/// The HTTP destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HttpSink {
    /// The client.
    pub client: Name,
    /// The request method.
    pub method: Expr,
    /// The request path.
    pub path: Expr,
}

pub(crate) fn rule<'t>(expression: &Rule<'t, Expr>) -> Rule<'t, HttpSink> {
    let client = keyword("HTTP").ignore_then(name("a client name"));
    let method = keyword("METHOD").ignore_then(expression.clone());
    let path = keyword("PATH").ignore_then(expression.clone());
    client
        .then(method)
        .then(path)
        .map(|((client, method), path)| HttpSink { client, method, path })
        .boxed()
}

impl HttpSink {
    /// Prints the destination, its request fields on lines of their own indented by `columns`.
    pub(crate) fn print_at(&self, printer: &mut Printer, columns: usize) {
        printer.put("HTTP ").node(&self.client);
        printer.line(columns).put("METHOD ").node(&self.method);
        printer.line(columns).put("PATH ").node(&self.path);
    }
}
