//! Array literals stand where ARRAY or VEC is expected (rulings section 2).

use nspl_model::DataType;
use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::{Rule, emitter_example};

pub(crate) const RULE: Rule = Rule {
    code: "E1318",
    title: "An array literal has literals of the expected element type, as many as the type says",
    fails: emitter_example!("INHERIT id SET tags = [id]"),
    passes: emitter_example!("INHERIT id SET tags = ['a', 'b']"),
};

/// Nothing here expects an array.
pub(crate) fn nowhere(place: Span) -> Diagnostic {
    RULE.fault(place, "nothing here expects an ARRAY or VEC")
}

/// Arrays of arrays have no place here.
pub(crate) fn nested(place: Span) -> Diagnostic {
    RULE.fault(place, "an array here has one dimension")
}

/// Something else is expected.
pub(crate) fn not_wanted(place: Span, wanted: &DataType) -> Diagnostic {
    RULE.fault(place, format!("{wanted} is expected here, not an array"))
}

/// The number of elements is fixed.
pub(crate) fn length(place: Span, wanted: &DataType, found: usize) -> Diagnostic {
    RULE.fault(
        place,
        format!("{wanted} has a fixed number of elements, and this has {found}"),
    )
}

/// The element is no literal.
pub(crate) fn element(place: Span) -> Diagnostic {
    RULE.fault(place, "the elements of an array literal are literals, never null")
        .help("such as ['a', 'b'] or ['2026-01-01T00:00:00Z' AS DATETIME]")
}
