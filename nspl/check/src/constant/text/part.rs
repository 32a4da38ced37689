//! Functions that take a part of a text. Positions and counts are of characters, from 1.

use super::kept;
use crate::constant::{Failure, Folded};

/// Without what stands in `set` at the ends; without a set, blanks (U+0020) alone.
pub(in crate::constant) fn trim(text: &str, set: Option<&str>, (start, end): (bool, bool)) -> Folded {
    let within = |character: char| set.unwrap_or(" ").contains(character);
    let text = match start {
        true => text.trim_start_matches(within),
        false => text,
    };
    kept(match end {
        true => text.trim_end_matches(within),
        false => text,
    })
}

/// The first characters.
pub(in crate::constant) fn left(text: &str, count: i64) -> Folded {
    kept(first(text, non_negative(count)?))
}

/// The last characters.
pub(in crate::constant) fn right(text: &str, count: i64) -> Folded {
    let count = non_negative(count)?;
    let skipped = text.chars().count().saturating_sub(count);
    kept(text.chars().skip(skipped).collect::<String>())
}

/// As in Postgres: positions below 1 lie before the text and use up the count.
pub(in crate::constant) fn substr(text: &str, start: i64, count: Option<i64>) -> Folded {
    let end = match count {
        Some(count) => {
            non_negative(count)?;
            start.saturating_add(count)
        }
        None => i64::MAX,
    };
    let places = (1_i64..).zip(text.chars());
    let within = places.filter(|(place, _)| start <= *place && *place < end);
    kept(within.map(|(_, character)| character).collect::<String>())
}

/// Past either end is an empty text; a negative index counts from the end.
pub(in crate::constant) fn split_part(text: &str, mark: &str, index: i64) -> Folded {
    // What has no mark is one part.
    let parts: Vec<&str> = match mark.is_empty() {
        true => vec![text],
        false => text.split(mark).collect(),
    };
    let distance = usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX);
    let place = match index {
        0 => return Err("the position is 0; positions count from 1, or from -1 at the end".into()),
        1.. => Some(distance - 1),
        _ => parts.len().checked_sub(distance),
    };
    kept(
        place
            .and_then(|place| parts.get(place))
            .copied()
            .unwrap_or_default(),
    )
}

/// Where `wanted` begins first; 0: nowhere.
pub(in crate::constant) fn position(text: &str, wanted: &str) -> usize {
    let before = text.find(wanted).and_then(|byte| text.get(..byte));
    before.map_or(0, |before| before.chars().count() + 1)
}

/// The first characters, all when there are fewer.
pub(super) fn first(text: &str, count: usize) -> &str {
    match text.char_indices().nth(count) {
        Some((byte, _)) => text.get(..byte).unwrap_or(text),
        None => text,
    }
}

/// A count, or that it is none.
pub(super) fn non_negative(count: i64) -> Result<usize, Failure> {
    match u64::try_from(count) {
        Ok(count) => Ok(usize::try_from(count).unwrap_or(usize::MAX)),
        Err(_) => Err("the count is negative".into()),
    }
}
