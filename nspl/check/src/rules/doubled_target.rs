//! A target is set once where the order does not matter.

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::{Rule, emitter_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1216",
    title: "INHERIT lists, error records, branch keys and maps set each field or key once",
    fails: emitter_example!("INHERIT id, note, id"),
    passes: emitter_example!("INHERIT id, note"),
};

/// `before` is where it is set first.
pub(crate) fn fault(place: Span, name: &str, before: Span) -> Diagnostic {
    RULE.fault(place, format!("{name} is set twice"))
        .label(before.range(), "first here")
}
