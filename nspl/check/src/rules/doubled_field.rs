//! A schema names each field once.

use nspl_syntax::{Name, Span};

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1009",
    title: "A schema names each field once",
    fails: "CREATE SCHEMA s (a STRING, b I64, a BOOL);",
    passes: "CREATE SCHEMA s (a STRING, b I64, c BOOL);",
};

/// `before` is where the name stood first.
pub(crate) fn fault(name: &Name, before: Span) -> Diagnostic {
    RULE.fault(name.span, format!("the field {} is declared twice", name.text))
        .label(before.range(), "first declared here")
}
