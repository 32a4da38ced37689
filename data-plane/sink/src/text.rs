//! Text that goes into errors, logs, DESCRIBE and error records.
//!
//! Invariant: never longer than [`TEXT_BYTES_MAX`] bytes, and nothing that a terminal obeys: destinations say such texts, and
//! operators read them line by line. Whoever makes one is bound to quote no value of a record, no
//! target, no header and no credential; the type cannot check that and does not try.

use std::fmt;

use nspl_model::is_obeyed;

/// The most bytes that one text about a failure holds; what is longer is cut at a character and marked.
pub const TEXT_BYTES_MAX: usize = 512;

/// A short sentence about a failure.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct BoundedText(Box<str>);

impl BoundedText {
    /// Keeps at most [`TEXT_BYTES_MAX`] bytes of `text`, with a space in place of each character that a terminal obeys.
    pub fn new(text: impl Into<String>) -> Self {
        const MARK: &str = "...";
        let mut text: String = text.into();
        if text.contains(is_obeyed) {
            text = text.replace(is_obeyed, " ");
        }
        if text.len() > TEXT_BYTES_MAX {
            let end = text.floor_char_boundary(TEXT_BYTES_MAX - MARK.len());
            text.truncate(end);
            text.push_str(MARK);
        }
        Self(text.into_boxed_str())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for BoundedText {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl fmt::Display for BoundedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for BoundedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::{BoundedText, TEXT_BYTES_MAX};

    #[test]
    fn a_long_text_is_cut_at_a_character_within_the_bound() {
        let cut = BoundedText::new("ü".repeat(TEXT_BYTES_MAX));
        assert!(cut.as_str().len() <= TEXT_BYTES_MAX);
        assert!(cut.as_str().ends_with("ü..."));
        assert_eq!(BoundedText::from("short").as_str(), "short");
    }

    #[test]
    fn nothing_that_a_terminal_obeys_and_no_second_line_is_left() {
        let text = BoundedText::from("a\u{1b}[2J\u{9b}b\u{202e}c\r\nstate: running\td\0\u{2028}");
        assert_eq!(text.as_str(), "a [2J b c  state: running d  ");
    }
}
