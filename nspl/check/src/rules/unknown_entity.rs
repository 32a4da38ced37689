//! DROP, ALTER, SHOW CREATE and DESCRIBE name what exists (companion section 2).

use nspl_model::EntityKey;
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1003",
    title: "DROP, ALTER, SHOW CREATE and DESCRIBE name something that exists",
    fails: "DROP RELAY nowhere;",
    passes: "DROP RELAY failures;",
};

/// There is nothing of that name; `domain` is left out for domains themselves.
pub(crate) fn fault(place: Span, key: &EntityKey, domain: Option<&str>, known: Option<String>) -> Diagnostic {
    let place_of = domain
        .filter(|domain| !domain.is_empty())
        .map(|domain| format!(" in domain {domain}"));
    let fault = RULE.fault(
        place,
        format!("there is no {key}{}", place_of.unwrap_or_default()),
    );
    match known {
        Some(known) => fault.help(known),
        None => fault,
    }
}
