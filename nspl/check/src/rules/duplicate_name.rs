//! Names are unique per kind within a domain (rulings section 1).

use std::ops::Range;

use nspl_model::EntityKey;
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1002",
    title: "A name is created once per kind and domain",
    fails: "CREATE RELAY events SCHEMA event UNBRANCHED;",
    passes: "CREATE IF NOT EXISTS RELAY events SCHEMA event UNBRANCHED;",
};

/// The name is in the catalog; `domain` is left out for domains themselves.
pub(crate) fn stored(place: Span, key: &EntityKey, domain: Option<&str>) -> Diagnostic {
    let place_of = domain
        .map(|domain| format!(" in domain {domain}"))
        .unwrap_or_default();
    let fault = RULE.fault(place, format!("{key} exists already{place_of}"));
    fault.help("write CREATE IF NOT EXISTS, or choose another name")
}

/// The name was created by an earlier statement of the transaction.
pub(crate) fn in_script(place: Span, key: &EntityKey, first: Range<usize>) -> Diagnostic {
    let fault = RULE.fault(place, format!("{key} is created twice"));
    fault
        .label(first, "first created here")
        .help("choose another name, or leave one of them out")
}
