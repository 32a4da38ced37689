//! A change leaves everything that refers to the changed thing valid.

use std::ops::Range;

use nspl_model::EntityKey;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1008",
    title: "A definition that changes still fits all that refers to it",
    fails: "ALTER SCHEMA origin ADD FIELD parts VEC<STRING> OPTIONAL;",
    passes: "ALTER SCHEMA origin ADD FIELD part STRING OPTIONAL;",
};

/// What is stored as `user` would get this fault.
pub(crate) fn fault(statement: Range<usize>, user: &EntityKey, fault: &Diagnostic) -> Diagnostic {
    let broken = RULE.fault(statement, format!("this breaks {user}: {}", fault.message));
    let remedy = format!("change {user} in the same transaction: BEGIN; ...; COMMIT;");
    match &fault.help {
        Some(help) => broken.help(format!("{remedy} ({help})")),
        None => broken.help(remedy),
    }
}
