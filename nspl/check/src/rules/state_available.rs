//! Materialized state that no worker holds is not accepted (rulings section 9 "What can run").

use nspl_model::EntityKey;
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1224",
    title: "apply: some worker holds materialized state",
    fails: "",
    passes: "",
};

/// No worker holds state; `clause` is what asks for it.
pub(crate) fn fault(place: Span, owner: &EntityKey, clause: &str) -> Diagnostic {
    RULE.fault(
        place,
        format!("no worker can run {owner}: none holds the state of {clause}"),
    )
    .help(format!(
        "leave {clause} out, or start a worker that holds materialized state"
    ))
}
