//! What this release does not execute is refused, never accepted and ignored (rulings section 9).

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1222",
    title: "A statement is about something that this release executes",
    fails: "",
    passes: "",
};

/// The release lacks it.
pub(crate) fn fault(place: Span, what: &str) -> Diagnostic {
    RULE.fault(place, format!("this release does not execute {what}"))
        .help("what it executes: domains, schemas, wire schemas, codecs, branches, relays, resources, clients, ingestors FROM CLIENT and emitters")
}
