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
    fault.help(STORED)
}

/// The remedy where one name exists already.
const STORED: &str = "write CREATE IF NOT EXISTS, or choose another name";

/// A script whose names exist already was most likely run before: what to do about all of them is said once, at the
/// first.
pub(crate) fn say_once(diagnostics: &mut [Diagnostic]) {
    let stored = |found: &&mut Diagnostic| found.code == RULE.code && found.help.as_deref() == Some(STORED);
    let mut faults: Vec<&mut Diagnostic> = diagnostics.iter_mut().filter(stored).collect();
    let count = faults.len();
    let [first, others @ ..] = faults.as_mut_slice() else {
        return;
    };
    if others.is_empty() {
        return;
    }
    first.help = Some(format!(
        "{count} names of this script exist already. Where it was run before, write CREATE IF NOT EXISTS: what exists \
         is kept, and W1001 tells where it says something else"
    ));
    for other in others {
        other.help = None;
    }
}

/// The name was created by an earlier statement of the transaction.
pub(crate) fn in_script(place: Span, key: &EntityKey, first: Range<usize>) -> Diagnostic {
    let fault = RULE.fault(place, format!("{key} is created twice"));
    fault
        .label(first, "first created here")
        .help("choose another name, or leave one of them out")
}
