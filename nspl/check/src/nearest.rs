//! The nearest known name, for the help of a diagnostic.

/// Names further away than this are no help.
const DISTANCE_MAX: usize = 2;

/// Longer names are not compared: the cost grows with the product of the lengths.
const LENGTH_MAX: usize = 64;

/// The known name that is closest to what was written, when one is close enough.
pub fn nearest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let fits = |name: &&str| name.len().abs_diff(written.len()) <= DISTANCE_MAX && name.len() <= LENGTH_MAX;
    let scored = known
        .into_iter()
        .filter(fits)
        .map(|name| (distance(written, name), name));
    let best = scored.min_by_key(|(distance, _)| *distance)?;
    let close = best.0 <= DISTANCE_MAX && best.0 < written.chars().count();
    close.then_some(best.1)
}

/// So many names are listed where none is near.
const LISTED_MAX: usize = 5;

/// The first few of the names that there are, for where none of them is near; none when there are none.
pub(crate) fn some_of<'a>(known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let mut known = known.into_iter();
    let first: Vec<&str> = known.by_ref().take(LISTED_MAX).collect();
    let listed = (!first.is_empty()).then(|| first.join(", "))?;
    Some(match known.count() {
        0 => listed,
        more => format!("{listed} and {more} more"),
    })
}

/// More unknown names than this are not compared with what is missing.
const UNKNOWN_MAX: usize = 32;

/// What is missing, without the names that an unknown one was probably meant to be: that one is reported already.
pub(crate) fn not_meant<'n, 'u>(
    mut missing: Vec<&'n str>,
    unknown: impl IntoIterator<Item = &'u str>,
) -> Vec<&'n str> {
    if missing.is_empty() {
        return missing;
    }
    for written in unknown.into_iter().take(UNKNOWN_MAX) {
        if let Some(meant) = nearest(written, missing.iter().copied()) {
            missing.retain(|name| *name != meant);
        }
    }
    missing
}

fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, c) in a.to_lowercase().chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, d) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(c != *d);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{nearest, some_of};

    #[test]
    fn the_first_few_names_are_listed_and_the_others_counted() {
        assert_eq!(some_of([]), None);
        assert_eq!(some_of(["a", "b"]).as_deref(), Some("a, b"));
        let seven = ["a", "b", "c", "d", "e", "f", "g"];
        assert_eq!(some_of(seven).as_deref(), Some("a, b, c, d, e and 2 more"));
    }

    #[test]
    fn a_small_slip_finds_its_name_and_a_stranger_does_not() {
        let known = ["orders", "notifications", "ab"];
        assert_eq!(nearest("ordres", known), Some("orders"));
        assert_eq!(nearest("Orders", known), Some("orders"));
        assert_eq!(nearest("customers", known), None);
        assert_eq!(nearest("xy", known), None);
    }
}
