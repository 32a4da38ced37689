//! Sensitive values stay inside unless they are let out by name (rulings section 6).

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::resolve::Boundary;
use crate::rule::{Rule, emitter_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1315",
    title: "A sensitive value is set only where it may be, or through leak_sensitive",
    fails: emitter_example!("SET id = secret"),
    passes: emitter_example!("SET id = leak_sensitive(secret)"),
};

/// `what` may not take something sensitive.
pub(crate) fn fault(place: Span, what: &str, boundary: Boundary) -> Diagnostic {
    let why = match boundary {
        Boundary::External => "leaves the system",
        Boundary::Graph => "is not SENSITIVE",
    };
    RULE.fault(place, format!("{what} {why}, and this carries a sensitive value"))
        .help("write leak_sensitive(...) around it, when that is meant")
}
