//! Which programs a codec has (rulings section 3).

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1506",
    title: "JAQ TRANSFORMATIONS have a program, and ON EMITTING BATCH stands beside ON EMITTING",
    fails: "CREATE CODEC c FROM JSON TO SCHEMA failure WITH JAQ TRANSFORMATIONS ON EMITTING BATCH '.';",
    passes: "CREATE CODEC c FROM JSON TO SCHEMA failure WITH JAQ TRANSFORMATIONS ON EMITTING '.' ON EMITTING BATCH '.';",
};

/// There is no program.
pub(crate) fn none(place: Span) -> Diagnostic {
    RULE.fault(place, "JAQ TRANSFORMATIONS have no program")
        .help("write ON INGESTION '...', ON EMITTING '...' or both; '.' passes the value as it is")
}

/// Members of a batch are made by ON EMITTING.
pub(crate) fn batch_alone(place: Span) -> Diagnostic {
    RULE.fault(
        place,
        "ON EMITTING BATCH has no ON EMITTING, which makes its members",
    )
    .help("write ON EMITTING '.' before it to pass records as they are")
}
