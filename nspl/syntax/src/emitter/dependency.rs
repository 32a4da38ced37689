//! `USING MATERIALIZED STATE r REQUIRED WAIT | REQUIRED SKIP | DEFAULT {...}` (companion section 2).

use crate::assignment;
use crate::assignment::Map;
use crate::expression::Expr;
use crate::grammar::{Rule, keyword, located, name, phrase};
use crate::name::Name;
use crate::printer::Printer;
use crate::relay::RELAY;
use crate::span::Span;
use chumsky::prelude::{Parser, choice};

/// A materialized-state dependency.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Dependency {
    /// The materialized relay.
    pub relay: Name,
    /// What happens while it has no state.
    pub policy: DependencyPolicy,
    /// Where the clause stands.
    pub span: Span,
}

/// What happens while a dependency has no state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DependencyPolicy {
    /// `REQUIRED WAIT`
    RequiredWait,
    /// `REQUIRED SKIP`
    RequiredSkip,
    /// `DEFAULT {...}`
    Default(Map),
}

pub(crate) fn rule<'t>(expression: &Rule<'t, Expr>) -> Rule<'t, Dependency> {
    let wait = phrase("REQUIRED WAIT")
        .map(|_| DependencyPolicy::RequiredWait)
        .boxed();
    let skip = phrase("REQUIRED SKIP")
        .map(|_| DependencyPolicy::RequiredSkip)
        .boxed();
    let default = keyword("DEFAULT")
        .ignore_then(assignment::map(expression))
        .map(DependencyPolicy::Default)
        .boxed();
    let parts = phrase("USING MATERIALIZED STATE")
        .ignore_then(name(RELAY))
        .then(choice((wait, skip, default)));
    located(parts, |(relay, policy), span| Dependency { relay, policy, span })
}

impl Dependency {
    /// Prints the clause; the closing brace of DEFAULT is indented by `columns`.
    pub(crate) fn print_at(&self, printer: &mut Printer, columns: usize) {
        printer.put("USING MATERIALIZED STATE ").node(&self.relay);
        match &self.policy {
            DependencyPolicy::RequiredWait => _ = printer.put(" REQUIRED WAIT"),
            DependencyPolicy::RequiredSkip => _ = printer.put(" REQUIRED SKIP"),
            DependencyPolicy::Default(map) => map.print_at(printer.put(" DEFAULT "), columns),
        }
    }
}
