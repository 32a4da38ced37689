//! Constant patterns are compiled at validation (rulings section 5).

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::{Rule, emitter_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1317",
    title: "A constant regular expression compiles",
    fails: emitter_example!("INHERIT id SET flag = regexp_like(id, '(')"),
    passes: emitter_example!("INHERIT id SET flag = regexp_like(id, '[(]')"),
};

/// The pattern does not compile.
pub(crate) fn fault(place: Span, why: &str) -> Diagnostic {
    RULE.fault(place, format!("no regular expression: {why}")).help(
        "a pattern reads as in Rust's regex crate, without look-around and back-references; \\ before ( [ { . * + ? | takes it as it stands",
    )
}
