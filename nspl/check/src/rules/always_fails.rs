//! An expression of constants that always fails is refused (rulings section 5).

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::{Rule, emitter_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1313",
    title: "An expression of constants has a value",
    fails: emitter_example!("INHERIT id SET amount = 1 / 0"),
    passes: emitter_example!("INHERIT id SET amount = 1 / 1"),
};

/// `failure` says why.
pub(crate) fn fault(place: Span, failure: &str) -> Diagnostic {
    RULE.fault(place, format!("this fails for every record: {failure}"))
}
