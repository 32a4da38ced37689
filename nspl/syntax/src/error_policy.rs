//! `ON MESSAGE ERROR ...` and `ON GENERAL ERROR ...` (companion section 6). Both are required wherever they may stand.

use crate::assignment::Assignment;
use crate::assignment::assignments;
use crate::expression::Expr;
use crate::grammar::{Rule, choice_of, keyword, located, name, phrase};
use crate::name::Name;
use crate::printer::{Print, Printer, display};
use crate::span::Span;
use chumsky::prelude::{Parser, choice};

/// What happens to a record that fails.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MessagePolicy {
    /// Which policy.
    pub kind: MessagePolicyKind,
    /// Where the clause stands.
    pub span: Span,
}

/// The forms of ON MESSAGE ERROR.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MessagePolicyKind {
    /// `IGNORE`
    Ignore,
    /// `LOG`
    Log,
    /// `SEND TO relay [SET f = e, ...]`
    SendTo {
        /// The error relay.
        relay: Name,
        /// How the error record is built; empty without SET.
        set: Vec<Assignment>,
    },
}

/// What happens to a failure that belongs to no record.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GeneralPolicy {
    /// Which policy.
    pub kind: GeneralPolicyKind,
    /// Where the clause stands.
    pub span: Span,
}

/// The forms of ON GENERAL ERROR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GeneralPolicyKind {
    /// `IGNORE`
    Ignore,
    /// `LOG`
    Log,
}

pub(crate) fn message_policy<'t>(expression: &Rule<'t, Expr>) -> Rule<'t, MessagePolicy> {
    let set = keyword("SET").ignore_then(assignments(expression)).or_not();
    let send = phrase("SEND TO").ignore_then(name("a relay name")).then(set);
    let send = send
        .map(|(relay, set)| MessagePolicyKind::SendTo {
            relay,
            set: set.unwrap_or_default(),
        })
        .boxed();
    let ignore = keyword("IGNORE").map(|_| MessagePolicyKind::Ignore).boxed();
    let log = keyword("LOG").map(|_| MessagePolicyKind::Log).boxed();
    let clause = phrase("ON MESSAGE ERROR").ignore_then(choice((ignore, log, send)));
    located(clause, |kind, span| MessagePolicy { kind, span })
}

pub(crate) fn general_policy<'t>() -> Rule<'t, GeneralPolicy> {
    let kind = choice((
        choice_of("IGNORE", GeneralPolicyKind::Ignore),
        choice_of("LOG", GeneralPolicyKind::Log),
    ));
    located(phrase("ON GENERAL ERROR").ignore_then(kind), |kind, span| {
        GeneralPolicy { kind, span }
    })
}

impl MessagePolicy {
    /// Prints the clause; SET stands on a line of its own two columns further in.
    pub(crate) fn print_at(&self, printer: &mut Printer, columns: usize) {
        match &self.kind {
            MessagePolicyKind::SendTo { relay, set } if !set.is_empty() => {
                printer.put("ON MESSAGE ERROR SEND TO ").node(relay);
                printer.line(columns + 2).put("SET ").column(columns + 6, set)
            }
            _ => printer.node(self),
        };
    }
}

/// The clause on one line: what DESCRIBE shows.
impl Print for MessagePolicy {
    fn print(&self, printer: &mut Printer) {
        match &self.kind {
            MessagePolicyKind::Ignore => printer.put("ON MESSAGE ERROR IGNORE"),
            MessagePolicyKind::Log => printer.put("ON MESSAGE ERROR LOG"),
            MessagePolicyKind::SendTo { relay, set } => {
                printer.put("ON MESSAGE ERROR SEND TO ").node(relay);
                printer.put(if set.is_empty() { "" } else { " SET " }).list(set)
            }
        };
    }
}

impl Print for GeneralPolicy {
    fn print(&self, printer: &mut Printer) {
        printer.put(match self.kind {
            GeneralPolicyKind::Ignore => "ON GENERAL ERROR IGNORE",
            GeneralPolicyKind::Log => "ON GENERAL ERROR LOG",
        });
    }
}

display!(MessagePolicy, GeneralPolicy);
