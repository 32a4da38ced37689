//! Ranges of numbers, durations and sizes (rulings section 2).

use std::fmt::Display;

use nspl_syntax::Span;

use crate::Diagnostic;
use crate::rule::Rule;

pub(crate) const RULE: Rule = Rule {
    code: "E1201",
    title: "Numbers, durations and sizes are in their ranges",
    fails: "CREATE RELAY r SCHEMA event UNBRANCHED CAPACITY 0;",
    passes: "CREATE RELAY r SCHEMA event UNBRANCHED CAPACITY 1;",
};

/// A whole number out of 1 to `max`.
pub(crate) fn number(place: Span, what: &str, written: &str, max: impl Display) -> Diagnostic {
    RULE.fault(place, format!("{what} is {written}; it takes 1 to {max}"))
}

/// QOS has three levels.
pub(crate) fn qos(place: Span, written: &str) -> Diagnostic {
    RULE.fault(place, format!("QOS is {written}; it takes 0, 1 or 2"))
}

/// A quantity that is 0 or above `max`.
pub(crate) fn quantity(place: Span, what: &str, written: &str, max: &str) -> Diagnostic {
    RULE.fault(
        place,
        format!("{what} is {written}; it is above 0 and at most {max}"),
    )
}
