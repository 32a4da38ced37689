//! Near misses: the keyword that was probably meant.

/// The longest word that is compared.
const WORD_BYTES_MAX: usize = 24;

/// The keyword nearest to `word`, when it is near enough to be meant. Labels of several words are compared by their
/// first.
pub(crate) fn nearest(word: &str, keywords: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    if word.len() > WORD_BYTES_MAX {
        return None;
    }
    let word = word.to_ascii_uppercase();
    let allowed = (word.len() / 3).clamp(1, 2);
    keywords
        .map(|keyword| {
            (
                distance(&word, keyword.split(' ').next().unwrap_or(keyword)),
                keyword,
            )
        })
        .filter(|(distance, _)| (1..=allowed).contains(distance))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, keyword)| keyword)
}

/// The number of single-character edits, swaps of neighbours included.
pub(crate) fn distance(left: &str, right: &str) -> usize {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    let mut rows = vec![(0..=right.len()).collect::<Vec<usize>>()];
    for (i, a) in left.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in right.iter().enumerate() {
            let replaced = rows[i][j] + usize::from(a != b);
            let mut best = replaced.min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == right[j - 1] && left[i - 1] == *b {
                best = best.min(rows[i - 1][j - 1] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[left.len()][right.len()]
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest};

    #[test]
    fn edits_are_counted_with_swaps_as_one() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("INHERTI", "INHERIT"), 1);
        assert_eq!(distance("kitten", "sitting"), 3);
    }

    #[test]
    fn only_a_near_keyword_is_suggested() {
        let keywords = || ["MODE", "FLUSH", "MAX BATCH SIZE"].into_iter();
        assert_eq!(nearest("flsh", keywords()), Some("FLUSH"));
        assert_eq!(nearest("MXA", keywords()), Some("MAX BATCH SIZE"));
        assert_eq!(nearest("mode", keywords()), None);
        assert_eq!(nearest("orders", keywords()), None);
    }
}
