//! Keys of VALUES, ATTRIBUTES and RESOURCE are names of the outside system.

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::{Rule, direct_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1262",
    title: "The keys of VALUES, ATTRIBUTES and RESOURCE are not empty and hold no NUL",
    fails: direct_example!(
        "POSTGRES pg INSERT TO TABLE t VALUES {'' = id}",
        "BATCH MAX MESSAGES 100 MAX SIZE 1MiB"
    ),
    passes: direct_example!(
        "POSTGRES pg INSERT TO TABLE t VALUES {'id' = id}",
        "BATCH MAX MESSAGES 100 MAX SIZE 1MiB"
    ),
};

/// No outside system has such a name.
pub(crate) fn fault(place: Span) -> Diagnostic {
    RULE.fault(place, "a key is empty or holds a NUL character")
        .help("name the column, field or attribute that is written")
}
