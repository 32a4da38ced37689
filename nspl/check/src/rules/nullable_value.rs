//! A required field is never null (rulings section 3).

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::{Rule, emitter_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1314",
    title: "A value that may be null is set into an OPTIONAL field only",
    fails: emitter_example!("SET id = note"),
    passes: emitter_example!("SET id = coalesce(note, '')"),
};

/// `what` takes no null.
pub(crate) fn fault(place: Span, what: &str) -> Diagnostic {
    RULE.fault(place, format!("{what} is required, and this may be null"))
        .help("give it another value for null: coalesce(..., <value>)")
}
