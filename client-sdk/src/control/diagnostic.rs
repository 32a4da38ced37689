//! Diagnostics of a script: code, place, message, remedy.

use nervix_proto::v1;

/// How bad a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The script was refused.
    Error,
    /// The script runs, and something in it deserves a look.
    Warning,
}

/// Lines and columns count from 1, columns in characters; the end is exclusive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// As the script was named.
    pub file: String,
    /// First line.
    pub line: u32,
    /// First column.
    pub column: u32,
    /// Last line.
    pub end_line: u32,
    /// Column after the last.
    pub end_column: u32,
}

/// A second place that a diagnostic points to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is there.
    pub message: String,
}

/// One finding in a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// A stable code, documented under docs/reference/diagnostics.
    pub code: String,
    /// What was found and what would be accepted.
    pub message: String,
    /// Where.
    pub span: Span,
    /// Other places that belong to it.
    pub labels: Vec<Label>,
    /// The remedy; empty when none is known.
    pub help: String,
    /// As it is shown on a terminal, without colours.
    pub rendered: String,
}

impl From<v1::Diagnostic> for Diagnostic {
    fn from(diagnostic: v1::Diagnostic) -> Self {
        let severity = match diagnostic.severity() {
            v1::diagnostic::Severity::Warning => Severity::Warning,
            v1::diagnostic::Severity::Error | v1::diagnostic::Severity::Unspecified => Severity::Error,
        };
        let labels = diagnostic.labels.into_iter().map(|label| Label {
            span: label.span.map(Span::from).unwrap_or_default(),
            message: label.message,
        });
        Diagnostic {
            severity,
            code: diagnostic.code,
            message: diagnostic.message,
            span: diagnostic.span.map(Span::from).unwrap_or_default(),
            labels: labels.collect(),
            help: diagnostic.help,
            rendered: diagnostic.rendered,
        }
    }
}

impl From<v1::Span> for Span {
    fn from(span: v1::Span) -> Self {
        Span {
            file: span.file,
            line: span.line,
            column: span.column,
            end_line: span.end_line,
            end_column: span.end_column,
        }
    }
}
