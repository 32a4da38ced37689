//! What this release does not execute is refused, never accepted and ignored (rulings section 9). It executes every
//! statement that can be written, so only trees that a program builds get here, and the rule has no page.

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
        .help("what it executes: domains, schemas, wire schemas, codecs, branches, relays, resources, clients, ingestors and emitters")
}
