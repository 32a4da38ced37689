//! What is wrong with a script: code, place, what was found, what would be accepted.
//!
//! Faults never quote the inside of a string literal, which may be a secret.

pub(crate) mod clause;
pub(crate) mod hint;
pub(crate) mod spelling;

use crate::span::Span;

/// One fault of a script. Codes: E01xx lexical, E02xx syntax.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The code, with a page in the reference.
    pub code: &'static str,
    /// Where it is.
    pub span: Span,
    /// What was found and what would be accepted, in one sentence.
    pub message: String,
    /// Other places that explain it.
    pub labels: Vec<(Span, String)>,
    /// What to do about it.
    pub help: Option<String>,
}

/// The codes of this crate.
pub mod code {
    /// A character that begins no token.
    pub const BAD_CHARACTER: &str = "E0101";
    /// A string literal that is never closed.
    pub const OPEN_TEXT: &str = "E0102";
    /// A block comment that is never closed.
    pub const OPEN_COMMENT: &str = "E0103";
    /// An identifier, number or string past its bound.
    pub const LITERAL_TOO_LARGE: &str = "E0104";
    /// A script past its bound.
    pub const SCRIPT_TOO_LARGE: &str = "E0105";
    /// Nesting or operator chains past their bounds.
    pub const TOO_DEEP: &str = "E0106";
    /// More faults than are listed.
    pub const TOO_MANY_FAULTS: &str = "E0107";
    /// Something other than what the grammar takes.
    pub const UNEXPECTED: &str = "E0201";
    /// A clause that stands out of its place.
    pub const CLAUSE_ORDER: &str = "E0202";
    /// A statement that begins before the one before it has ended.
    pub const MISSING_SEMICOLON: &str = "E0203";
    /// A comma with nothing behind it.
    pub const TRAILING_COMMA: &str = "E0204";
    /// An operator of other languages that NSPL spells differently.
    pub const FOREIGN_OPERATOR: &str = "E0205";
    /// A number, duration or size that is written wrongly.
    pub const BAD_QUANTITY: &str = "E0206";

    /// Every code with what it means, for the reference.
    pub const ALL: [(&str, &str); 13] = [
        (BAD_CHARACTER, "a character that begins no token"),
        (OPEN_TEXT, "a string literal that is never closed"),
        (OPEN_COMMENT, "a block comment that is never closed"),
        (
            LITERAL_TOO_LARGE,
            "an identifier, number or string past its bound",
        ),
        (SCRIPT_TOO_LARGE, "a script past its bound"),
        (TOO_DEEP, "nesting or operator chains past their bounds"),
        (TOO_MANY_FAULTS, "more faults than are listed"),
        (UNEXPECTED, "something other than what the grammar takes"),
        (CLAUSE_ORDER, "a clause that stands out of its place"),
        (
            MISSING_SEMICOLON,
            "a statement that begins before the one before it has ended",
        ),
        (TRAILING_COMMA, "a comma with nothing behind it"),
        (
            FOREIGN_OPERATOR,
            "an operator of other languages that NSPL spells differently",
        ),
        (BAD_QUANTITY, "a number, duration or size that is written wrongly"),
    ];
}

impl Fault {
    /// A fault without labels and help.
    pub fn new(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            span,
            message: message.into(),
            labels: Vec::new(),
            help: None,
        }
    }

    /// The same with a help.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same with one more label.
    #[must_use]
    pub fn with_label(mut self, span: Span, label: impl Into<String>) -> Self {
        self.labels.push((span, label.into()));
        self
    }
}
