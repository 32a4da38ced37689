//! Ranges of numbers, durations and sizes (rulings section 2).

use std::time::Duration;

use nspl_model::DurationText;
use nspl_syntax::quantity::{Duration as TreeDuration, Size, Whole};

use crate::Diagnostic;
use crate::rules;

/// The longest duration of the language.
const DURATION_MAX: Duration = Duration::from_secs(365 * 86_400);

/// A whole number from 1 to `max`.
pub(crate) fn positive_u32(
    number: &Whole,
    what: &str,
    max: u32,
    faults: &mut Vec<Diagnostic>,
) -> Option<u32> {
    match number.value().and_then(|value| u32::try_from(value).ok()) {
        Some(value) if (1..=max).contains(&value) => Some(value),
        _ => {
            faults.push(rules::range::number(number.span, what, &number.digits, max));
            None
        }
    }
}

/// A duration from 1 us to 365 d.
pub(crate) fn duration(tree: &TreeDuration, what: &str, faults: &mut Vec<Diagnostic>) -> Option<Duration> {
    match tree.value() {
        Some(value) if !value.is_zero() && value <= DURATION_MAX => Some(value),
        _ => {
            let written = format!("{}{}", tree.digits, tree.unit.as_str());
            faults.push(rules::range::quantity(
                tree.span,
                what,
                &written,
                &DurationText(DURATION_MAX).to_string(),
            ));
            None
        }
    }
}

/// A size from 1 byte to the end of the signed 64-bit range.
pub(crate) fn size(tree: &Size, what: &str, faults: &mut Vec<Diagnostic>) -> Option<u64> {
    match tree.bytes() {
        Some(value) if value > 0 && i64::try_from(value).is_ok() => Some(value),
        _ => {
            let written = format!("{}{}", tree.digits, tree.unit.as_str());
            faults.push(rules::range::quantity(
                tree.span,
                what,
                &written,
                "the signed 64-bit byte range",
            ));
            None
        }
    }
}
