//! Functions whose result is longer than their arguments.

use super::part::{first, non_negative};
use super::{TEXT_BYTES_MAX, built, kept};
use crate::constant::Folded;

/// A repeat or pad result above this many bytes is a failure (rulings section 5).
const GROWN_BYTES_MAX: usize = 1 << 20;

/// Where `pad` fills.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::constant) enum End {
    /// Before the text.
    Start,
    /// After it.
    End,
}

/// One after the other; nulls are left out before.
pub(in crate::constant) fn concat(parts: Vec<&str>) -> Folded {
    let bytes = parts.iter().map(|part| part.len()).fold(0, usize::saturating_add);
    built(bytes, TEXT_BYTES_MAX, || parts.concat())
}

/// An empty text may be repeated any number of times.
pub(in crate::constant) fn repeat(text: &str, count: i64) -> Folded {
    let count = non_negative(count)?;
    if text.is_empty() {
        return kept(text);
    }
    built(text.len().saturating_mul(count), GROWN_BYTES_MAX, || {
        text.repeat(count)
    })
}

/// To so many characters, with `fill` over and over, or with blanks; a longer text is cut at its end.
pub(in crate::constant) fn pad(text: &str, count: i64, fill: Option<&str>, end: End) -> Folded {
    let count = non_negative(count)?;
    let fill = fill.unwrap_or(" ");
    let text = first(text, count);
    let lacking = match fill.is_empty() {
        true => 0,
        false => count - text.chars().count(),
    };
    let (whole, rest) = match fill.chars().count() {
        0 => (0, ""),
        characters => (lacking / characters, first(fill, lacking % characters)),
    };
    let bytes = fill
        .len()
        .saturating_mul(whole)
        .saturating_add(rest.len())
        .saturating_add(text.len());
    built(bytes, GROWN_BYTES_MAX, || {
        let filling = fill.repeat(whole) + rest;
        match end {
            End::Start => filling + text,
            End::End => text.to_owned() + &filling,
        }
    })
}
