//! One relay of an emitter's FROM list with its own predicate.

use crate::expression::Expr;
use crate::grammar::{Rule, keyword, located, name};
use crate::name::Name;
use crate::printer::{Print, Printer, display};
use crate::relay::RELAY;
use crate::span::Span;
use chumsky::prelude::Parser;

/// `relay [WHERE e]`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    /// The relay that is read.
    pub relay: Name,
    /// The predicate of this relay alone.
    pub filter: Option<Expr>,
    /// Where it stands.
    pub span: Span,
}

pub(crate) fn rule<'t>(expression: &Rule<'t, Expr>) -> Rule<'t, Source> {
    let filter = keyword("WHERE").ignore_then(expression.clone()).or_not();
    located(name(RELAY).then(filter), |(relay, filter), span| Source {
        relay,
        filter,
        span,
    })
}

impl Print for Source {
    fn print(&self, printer: &mut Printer) {
        printer.node(&self.relay);
        if let Some(filter) = &self.filter {
            printer.put(" WHERE ").node(filter);
        }
    }
}

display!(Source);
