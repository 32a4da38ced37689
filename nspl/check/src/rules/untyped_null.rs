//! NULL takes the type of its place (rulings section 2).

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::{Rule, emitter_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1307",
    title: "NULL stands where a type is known",
    fails: emitter_example!("INHERIT id SET flag = is_null(NULL)"),
    passes: emitter_example!("INHERIT id SET flag = is_null(note)"),
};

/// Nothing gives it a type.
pub(crate) fn fault(place: Span) -> Diagnostic {
    RULE.fault(place, "nothing here gives NULL a type")
        .help("write NULL AS <type>")
}
