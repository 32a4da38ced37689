//! IF NOT EXISTS over a different definition changes nothing (rulings section 1).

use nspl_model::EntityKey;

use crate::Diagnostic;
use crate::rule::{Extent, Rule};

/// The rule; its code tells `apply` that a definition differs.
pub const RULE: Rule = Rule {
    code: "W1001",
    title: "IF NOT EXISTS names something that says the same",
    fails: "CREATE IF NOT EXISTS RELAY events SCHEMA failure UNBRANCHED;",
    passes: "CREATE IF NOT EXISTS RELAY events SCHEMA event UNBRANCHED;",
};

/// What exists under the name says something else.
pub(crate) fn fault(statement: impl Extent, key: &EntityKey) -> Diagnostic {
    RULE.fault(
        statement,
        format!("{key} exists already and says something else; nothing is changed"),
    )
    .help(format!(
        "compare with SHOW CREATE {key}; change it with ALTER, or DROP and CREATE in one transaction"
    ))
}
