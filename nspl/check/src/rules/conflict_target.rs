//! What ON CONFLICT names is mapped (rulings section 7).

use nspl_syntax::{Span, Text};

use crate::Diagnostic;
use crate::nearest::nearest;
use crate::rule::{Rule, direct_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1264",
    title: "The targets of ON CONFLICT are keys of VALUES, each once, and DO UPDATE leaves one key to update",
    fails: direct_example!(
        "POSTGRES pg INSERT TO TABLE t VALUES {'id' = id, 'note' = note} ON CONFLICT ('key') DO NOTHING",
        "BATCH MAX MESSAGES 100 MAX SIZE 1MiB"
    ),
    passes: direct_example!(
        "POSTGRES pg INSERT TO TABLE t VALUES {'id' = id, 'note' = note} ON CONFLICT ('id') DO NOTHING",
        "BATCH MAX MESSAGES 100 MAX SIZE 1MiB"
    ),
};

/// VALUES has no such key.
pub(crate) fn unmapped<'k>(target: &Text, keys: impl Iterator<Item = &'k str>) -> Diagnostic {
    let fault = RULE.fault(target.span, format!("VALUES has no '{}'", target.value));
    match nearest(&target.value, keys) {
        Some(near) => fault.help(format!("it has '{near}'")),
        None => fault.help("map it in VALUES, or leave it out of ON CONFLICT"),
    }
}

/// `before` is where it is named first.
pub(crate) fn doubled(target: &Text, before: Span) -> Diagnostic {
    RULE.fault(target.span, format!("'{}' is a target twice", target.value))
        .label(before.range(), "first here")
}

/// Every column is a target.
pub(crate) fn nothing_to_update(place: Span) -> Diagnostic {
    RULE.fault(
        place,
        "every column is a target, so that DO UPDATE has none to update",
    )
    .help("write DO NOTHING, or map a column that is no target")
}
