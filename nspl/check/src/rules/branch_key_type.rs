//! Keys of branches are compared.

use nspl_model::Field;
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1218",
    title: "The schema of a branch has no ARRAY or VEC",
    fails: "CREATE BRANCH b SCHEMA event TTL 1h;",
    passes: "CREATE BRANCH b SCHEMA origin TTL 1h;",
};

/// A field that cannot be compared.
pub(crate) fn fault(place: Span, field: &Field) -> Diagnostic {
    RULE.fault(
        place,
        format!(
            "the key {} is {}, which cannot be compared",
            field.name, field.data_type
        ),
    )
    .help("branch by scalar fields")
}
