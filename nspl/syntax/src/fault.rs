//! What is wrong with a script: code, place, what was found, what would be accepted.
//!
//! Faults never quote the inside of a string literal, which may be a secret.

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
