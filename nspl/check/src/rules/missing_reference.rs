//! A name stands for something that exists at COMMIT (rulings section 1).

use std::ops::Range;

use nspl_model::EntityKey;
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1001",
    title: "What a statement refers to exists when its transaction commits",
    fails: "CREATE RELAY r SCHEMA evnet UNBRANCHED;",
    passes: "CREATE RELAY r SCHEMA event UNBRANCHED;",
};

/// `owner` refers to `target`, which does not exist; `dropped` is where this transaction dropped it.
pub(crate) fn fault(
    place: Span,
    owner: &EntityKey,
    target: &EntityKey,
    dropped: Option<Range<usize>>,
    near: Option<String>,
) -> Diagnostic {
    let fault = RULE.fault(place, format!("{owner} refers to {target}, which does not exist"));
    match (dropped, near) {
        (Some(dropped), _) => fault.label(dropped, format!("{target} is dropped here")),
        (None, Some(near)) => fault.help(format!("{} {near} exists", target.kind)),
        (None, None) => fault.help(format!(
            "create {target} in the same transaction, before or after this statement"
        )),
    }
}
