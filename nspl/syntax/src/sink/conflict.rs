//! `ON CONFLICT [("a", ...)] DO UPDATE | DO NOTHING` of the databases that have it.

use crate::grammar::{Rule, choice_of, located, parenthesised, phrase, text};
use crate::name::Text;
use crate::printer::{Print, Printer};
use crate::span::Span;
use chumsky::prelude::{Parser, choice};

/// What an insert does when the row is already there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Conflict {
    /// The target columns; empty without a list.
    pub targets: Vec<Text>,
    /// What happens.
    pub action: ConflictAction,
    /// Where the clause stands.
    pub span: Span,
}

/// The actions of ON CONFLICT.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConflictAction {
    /// `DO UPDATE`
    Update,
    /// `DO NOTHING`
    Nothing,
}

pub(crate) fn rule<'t>() -> Rule<'t, Conflict> {
    let targets = parenthesised(text("a quoted column")).or_not();
    let action = choice((
        choice_of("DO UPDATE", ConflictAction::Update),
        choice_of("DO NOTHING", ConflictAction::Nothing),
    ));
    let parts = phrase("ON CONFLICT").ignore_then(targets).then(action);
    located(parts, |(targets, action), span| Conflict {
        targets: targets.unwrap_or_default(),
        action,
        span,
    })
}

impl Print for Conflict {
    fn print(&self, printer: &mut Printer) {
        printer.put("ON CONFLICT ");
        if !self.targets.is_empty() {
            printer.put("(").list(&self.targets).put(") ");
        }
        printer.put(match self.action {
            ConflictAction::Update => "DO UPDATE",
            ConflictAction::Nothing => "DO NOTHING",
        });
    }
}
