//! Chunks of bytes to numbered lines. A line is bounded; blank lines count but are not given.

use crate::exit::Failure;

/// The longest line, in bytes.
const LINE_BYTES_MAX: usize = 16 * 1024 * 1024;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Collects chunks and gives their lines.
#[derive(Debug, Default)]
pub(super) struct Lines {
    buffer: Vec<u8>,
    /// Where the next line begins.
    start: usize,
    /// Up to where there is no line end.
    searched: usize,
    number: u64,
    ended: bool,
}

impl Lines {
    /// Adds bytes; all lines that are there must have been taken.
    pub(super) fn push(&mut self, chunk: &[u8]) -> Result<(), Failure> {
        self.buffer.drain(..self.start);
        self.searched -= self.start;
        self.start = 0;
        if self.buffer.len() + chunk.len() > LINE_BYTES_MAX && !chunk.contains(&b'\n') {
            let line = self.number + 1;
            return Err(Failure::Usage(format!(
                "line {line} is longer than 16 MiB: is this NDJSON?"
            )));
        }
        self.buffer.extend_from_slice(chunk);
        Ok(())
    }

    /// The input has ended: the rest is the last line.
    pub(super) fn end(&mut self) {
        self.ended = true;
    }

    /// The next line that is not blank, and its number from 1.
    pub(super) fn next(&mut self) -> Option<(u64, &[u8])> {
        loop {
            let found = self.buffer[self.searched..]
                .iter()
                .position(|byte| *byte == b'\n');
            let (end, next) = match found {
                Some(offset) => (self.searched + offset, self.searched + offset + 1),
                None if self.ended && self.start < self.buffer.len() => {
                    (self.buffer.len(), self.buffer.len())
                }
                None => {
                    self.searched = self.buffer.len();
                    return None;
                }
            };
            let start = std::mem::replace(&mut self.start, next);
            self.searched = next;
            self.number += 1;
            let mark = self.number == 1 && self.buffer[start..end].starts_with(BYTE_ORDER_MARK);
            let start = if mark {
                start + BYTE_ORDER_MARK.len()
            } else {
                start
            };
            if !self.buffer[start..end].iter().all(u8::is_ascii_whitespace) {
                return Some((self.number, &self.buffer[start..end]));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LINE_BYTES_MAX, Lines};

    fn all(chunks: &[&[u8]]) -> Vec<(u64, Vec<u8>)> {
        let mut lines = Lines::default();
        let mut found = Vec::new();
        for chunk in chunks {
            lines.push(chunk).unwrap();
            while let Some((number, line)) = lines.next() {
                found.push((number, line.to_vec()));
            }
        }
        lines.end();
        while let Some((number, line)) = lines.next() {
            found.push((number, line.to_vec()));
        }
        found
    }

    #[test]
    fn lines_are_the_same_however_the_input_is_cut() {
        let text = b"\xef\xbb\xbfone\n\ntwo\r\n  \nlast";
        let whole = all(&[text]);
        assert_eq!(
            whole,
            [
                (1, b"one".to_vec()),
                (3, b"two\r".to_vec()),
                (5, b"last".to_vec())
            ]
        );
        let single: Vec<&[u8]> = text.chunks(1).collect();
        assert_eq!(all(&single[3..]), all(&[&text[3..]]));
        let pairs: Vec<&[u8]> = text.chunks(4).collect();
        assert_eq!(all(&pairs), whole);
    }

    #[test]
    fn a_line_without_end_is_bounded() {
        let mut lines = Lines::default();
        lines.push(&vec![b'x'; LINE_BYTES_MAX]).unwrap();
        assert!(lines.next().is_none());
        assert!(lines.push(b"x").is_err());
    }
}
