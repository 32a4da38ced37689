//! `VALUES {...} [WHERE e]`: the direct mapping of database, object-store and telemetry sinks (emitters.txt
//! "Direct-emitter values", rulings section 3).

use crate::assignment;
use crate::assignment::Map;
use crate::expression::Expr;
use crate::grammar::{Rule, keyword, located};
use crate::printer::Printer;
use crate::span::Span;
use chumsky::prelude::Parser;

/// The VALUES clause with the WHERE that stands right behind it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Values {
    /// External key to expression, in written order.
    pub map: Map,
    /// The route WHERE of a direct sink.
    pub filter: Option<Expr>,
    /// Where the clause stands.
    pub span: Span,
}

pub(crate) fn rule<'t>(expression: &Rule<'t, Expr>) -> Rule<'t, Values> {
    let filter = keyword("WHERE").ignore_then(expression.clone()).or_not();
    let parts = keyword("VALUES")
        .ignore_then(assignment::map(expression))
        .then(filter);
    located(parts, |(map, filter), span| Values { map, filter, span })
}

impl Values {
    /// Prints the clause on lines of its own indented by `columns`.
    pub(crate) fn print_at(&self, printer: &mut Printer, columns: usize) {
        self.map.print_at(printer.line(columns).put("VALUES "), columns);
        if let Some(filter) = &self.filter {
            printer.line(columns).put("WHERE ").node(filter);
        }
    }
}
