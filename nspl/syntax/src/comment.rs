//! Comments: kept beside the tree, so that a formatter can put them back.

use crate::span::Span;

/// A comment of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The text as written, with its markers and without the end of line of `--`.
    pub text: String,
    /// Whether it is a `/* */` comment.
    pub block: bool,
    /// Where it stands.
    pub span: Span,
}
