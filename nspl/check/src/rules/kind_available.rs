//! Nothing is accepted that no worker can run (rulings section 9).

use nspl_model::EntityKey;
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1221",
    title: "apply: some worker was built with the kind of sink or source",
    fails: "",
    passes: "",
};

/// No worker runs the kind, which is built with the feature.
pub(crate) fn fault(place: Span, owner: &EntityKey, kind: &str, feature: &str) -> Diagnostic {
    RULE.fault(
        place,
        format!("no worker can run {owner}: none was built with {kind}"),
    )
    .help(format!(
        "build a worker with the feature {feature}, or start the one that has it"
    ))
}
