//! What depends on files that are not at hand is left to `apply` (rulings section 1).

use nspl_syntax::Name;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "W1002",
    title: "The files of a codec are at hand",
    fails: "",
    passes: "",
};

/// `why` they are not.
pub(crate) fn fault(resource: &Name, why: &str) -> Diagnostic {
    RULE.fault(
        resource.span,
        format!(
            "the files of RESOURCE {} were not looked at: {why}",
            resource.text
        ),
    )
    .help("that they compile and have the messages is judged when the codec is applied; `check` sees what the given scripts upload")
}
