//! The text of a script as diagnostics point into it: its lines and characters, counted once.
//!
//! Invariant: after [`Listing::new`], a place costs the same wherever in the text it is and however long its line.

use std::cell::OnceCell;
use std::ops::Range;

use ariadne::Source;

use crate::shown::shown;

/// Characters are counted up to every so many bytes.
const BLOCK_BYTES: usize = 4_096;

/// A script and the name of its file, prepared for showing many diagnostics about it.
pub struct Listing<'a> {
    pub(crate) file: &'a str,
    pub(crate) source: &'a str,
    /// Where each line begins, in bytes.
    lines: Vec<usize>,
    /// Characters before each block.
    blocks: Vec<usize>,
    shown: OnceCell<String>,
    drawn: OnceCell<Source<String>>,
}

impl<'a> Listing<'a> {
    /// Counts the lines and characters of `source`; `file` is the name to show.
    pub fn new(file: &'a str, source: &'a str) -> Listing<'a> {
        let bytes = source.as_bytes();
        // A line ends with LF, CR LF, or a CR alone.
        let ends =
            |at: usize, byte: u8| byte == b'\n' || (byte == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
        let breaks = bytes.iter().enumerate().filter(|(at, byte)| ends(*at, **byte));
        let mut before = 0;
        let blocks = bytes.chunks(BLOCK_BYTES).map(|block| {
            let here = before;
            before += characters(block);
            here
        });
        Listing {
            file,
            source,
            lines: std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect(),
            blocks: blocks.collect(),
            shown: OnceCell::new(),
            drawn: OnceCell::new(),
        }
    }

    /// Line and column of a byte, from 1, the column in characters. Past the end it is the end.
    pub fn place(&self, at: usize) -> (usize, usize) {
        let at = at.min(self.source.len());
        let line = self.line_of(at);
        let begin = self.lines.get(line).copied().unwrap_or(0);
        (
            line + 1,
            self.characters_before(at) - self.characters_before(begin) + 1,
        )
    }

    /// The line of a byte, from 0.
    pub(crate) fn line_of(&self, at: usize) -> usize {
        self.lines.partition_point(|begin| *begin <= at).saturating_sub(1)
    }

    /// The bytes of a line, without its end.
    pub(crate) fn line(&self, line: usize) -> Range<usize> {
        let end = self.source.len();
        let begin = self.lines.get(line).copied().unwrap_or(end);
        let next = self.lines.get(line + 1).map_or(end, |next| next - 1);
        begin..next.max(begin)
    }

    /// The text as it is quoted: its bytes are where those of the source are.
    pub(crate) fn shown(&self) -> &str {
        self.shown.get_or_init(|| shown(self.source))
    }

    /// The text as excerpts are drawn from it.
    pub(crate) fn drawn(&self) -> &Source<String> {
        self.drawn.get_or_init(|| Source::from(self.shown().to_owned()))
    }

    fn characters_before(&self, at: usize) -> usize {
        let block = at / BLOCK_BYTES;
        let rest = self
            .source
            .as_bytes()
            .get(block * BLOCK_BYTES..at)
            .unwrap_or_default();
        self.blocks.get(block).map_or_else(
            // `at` is the end of a text that fills its last block.
            || self.blocks.last().map_or(0, |last| last + self.last_block()),
            |before| before + characters(rest),
        )
    }

    fn last_block(&self) -> usize {
        let bytes = self.source.as_bytes();
        bytes.chunks(BLOCK_BYTES).next_back().map_or(0, characters)
    }
}

/// The characters that begin in these bytes of UTF-8.
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::{BLOCK_BYTES, Listing};

    #[test]
    fn places_count_from_one_in_characters_on_either_side_of_a_block() {
        let text = format!("ä b\nc{}\n", "ä".repeat(BLOCK_BYTES));
        let listing = Listing::new("f", &text);
        assert_eq!(listing.place(0), (1, 1));
        assert_eq!(listing.place(3), (1, 3));
        assert_eq!(listing.place(5), (2, 1));
        assert_eq!(listing.place(6 + 2 * BLOCK_BYTES), (2, 2 + BLOCK_BYTES));
        assert_eq!(listing.place(usize::MAX), (3, 1));
        let full = "x".repeat(BLOCK_BYTES);
        assert_eq!(Listing::new("f", &full).place(BLOCK_BYTES), (1, BLOCK_BYTES + 1));
        assert_eq!(Listing::new("f", "").place(7), (1, 1));
        let ends = Listing::new("f", "a\r\nb\rc\nd");
        assert_eq!([0, 3, 5, 7].map(|at| ends.place(at).0), [1, 2, 3, 4]);
    }
}
