//! Keys of VALUES, ATTRIBUTES and RESOURCE are names of the outside system.

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::{Rule, direct_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1262",
    title: "The keys of VALUES, ATTRIBUTES and RESOURCE are what the outside system can have: names of its own, and no more than a row holds",
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

/// The database can have no such name.
pub(crate) fn refused(place: Span, why: &str) -> Diagnostic {
    RULE.fault(
        place,
        format!("no row can have a column or field of this name: {why}"),
    )
}

/// Two keys are one column once the database has read them; `why` is what it makes of a name.
pub(crate) fn read_alike(place: Span, before: Span, why: &str) -> Diagnostic {
    RULE.fault(place, format!("this names the same column: {why}"))
        .label(before.range(), "as this")
}

/// More than a table has.
pub(crate) fn too_many(place: Span, columns: usize, most: usize) -> Diagnostic {
    RULE.fault(
        place,
        format!("VALUES maps {columns} columns, and a table of this database has at most {most}"),
    )
    .help("write the rest to another table, or as one JSON document")
}
