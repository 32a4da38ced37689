//! A value of an ARRAY type has a bounded number of elements: what is null or left out takes their whole room, too.

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1010",
    title: "All ARRAY dimensions of a type together give at most 1048576 elements a value, on at most 64 axes",
    fails: "CREATE SCHEMA s (grid ARRAY<ARRAY<F32, 1024>, 1025>);",
    passes: "CREATE SCHEMA s (grid ARRAY<ARRAY<F32, 1024>, 1024>);",
};

/// The product of all dimensions is too large.
pub(crate) fn elements(place: Span, max: u64) -> Diagnostic {
    RULE.fault(
        place,
        format!("the ARRAY dimensions of this type give more than {max} elements a value"),
    )
    .help("make the dimensions smaller, or use VEC where the length varies")
}

/// There are too many axes.
pub(crate) fn axes(place: Span, max: usize) -> Diagnostic {
    RULE.fault(place, format!("this type has more than {max} ARRAY axes"))
}
