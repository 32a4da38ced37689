//! Where one text occurs in the rows of a column: the column is searched as the one piece that its bytes are.

use arrow::array::StringArray;
use memchr::memmem::Finder;

use super::letters::used_range;

/// The row and the place, in the bytes of the column, of every occurrence within a row, from left to right, none
/// overlapping another. Rows that are null are searched too.
///
/// An occurrence that begins in one row and ends in another is none, nor is any that begins behind it in that row.
pub(super) struct Occurrences<'a> {
    finder: Finder<'a>,
    bytes: &'a [u8],
    /// Where each row ends.
    ends: &'a [i32],
    /// The row that was last found in.
    row: usize,
    /// Where the search goes on.
    at: usize,
}

impl<'a> Occurrences<'a> {
    /// The occurrences of a text that is not empty.
    pub(super) fn new(texts: &'a StringArray, wanted: &'a str) -> Self {
        let range = used_range(texts);
        Self {
            finder: Finder::new(wanted),
            bytes: texts.value_data().get(..range.end).unwrap_or_default(),
            ends: texts.value_offsets().get(1..).unwrap_or_default(),
            row: 0,
            at: range.start,
        }
    }

    /// Goes on behind the row that was last found in.
    pub(super) fn leave_row(&mut self) {
        self.at = self.end();
    }

    fn end(&self) -> usize {
        self.ends
            .get(self.row)
            .map_or(self.bytes.len(), |end| *end as usize)
    }
}

impl Iterator for Occurrences<'_> {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<(usize, usize)> {
        loop {
            let found = self.at + self.finder.find(self.bytes.get(self.at..)?)?;
            while self.end() <= found {
                self.row += 1;
            }
            let until = found + self.finder.needle().len();
            if until <= self.end() {
                self.at = until;
                return Some((self.row, found));
            }
            self.leave_row();
        }
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::StringArray;

    use super::Occurrences;

    fn found(texts: &StringArray, wanted: &str) -> Vec<(usize, usize)> {
        Occurrences::new(texts, wanted).collect()
    }

    #[test]
    fn an_occurrence_lies_within_a_row() {
        let texts = StringArray::from(vec!["xab", "", "ab", "a", "b", "a", "", "bab", "abab"]);
        assert_eq!(found(&texts, "ab"), [(0, 1), (2, 3), (7, 9), (8, 11), (8, 13)]);
        assert_eq!(found(&texts.slice(3, 5), "ab"), [(4, 9)]);
        assert_eq!(found(&texts.slice(1, 1), "ab"), []);
    }

    #[test]
    fn none_overlaps_another_and_none_begins_behind_one_that_leaves_its_row() {
        let texts = StringArray::from(vec!["aaaaa", "aa", "a", "aaa"]);
        assert_eq!(found(&texts, "aa"), [(0, 0), (0, 2), (1, 5), (3, 8)]);
        assert_eq!(found(&texts, "aaa"), [(0, 0), (3, 8)]);
    }

    #[test]
    fn a_row_can_be_left_after_its_first() {
        let texts = StringArray::from(vec!["a a a", "b", "a a"]);
        let mut occurrences = Occurrences::new(&texts, "a");
        assert_eq!(occurrences.next(), Some((0, 0)));
        occurrences.leave_row();
        assert_eq!(occurrences.next(), Some((2, 6)));
        occurrences.leave_row();
        assert_eq!(occurrences.next(), None);
    }
}
