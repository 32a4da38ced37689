//! Diagnostics: what is wrong, where, and what would be accepted.

use std::ops::Range;

/// One finding about a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Whether it refuses the script.
    pub severity: Severity,
    /// `E` or `W` and four digits; documented under that name.
    pub code: &'static str,
    /// One sentence, without a full stop.
    pub message: String,
    /// Bytes of the text that it is about.
    pub span: Range<usize>,
    /// Further places, and what they have to do with it.
    pub labels: Vec<Label>,
    /// What to write instead.
    pub help: Option<String>,
}

/// A place beside the main one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// Bytes of the text.
    pub span: Range<usize>,
    /// What is to be seen there.
    pub message: String,
}

/// Whether a diagnostic refuses the script.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// It does.
    Error,
    /// It does not.
    Warning,
}

impl Severity {
    /// `error` or `warning`.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

impl Diagnostic {
    /// An error; labels and help are added by the methods below.
    pub fn error(code: &'static str, span: Range<usize>, message: impl Into<String>) -> Diagnostic {
        let message = message.into();
        Diagnostic {
            severity: Severity::Error,
            code,
            message,
            span,
            labels: Vec::new(),
            help: None,
        }
    }

    /// A warning.
    pub fn warning(code: &'static str, span: Range<usize>, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Warning,
            ..Diagnostic::error(code, span, message)
        }
    }

    /// Adds a further place.
    #[must_use]
    pub fn label(mut self, span: Range<usize>, message: impl Into<String>) -> Diagnostic {
        self.labels.push(Label {
            span,
            message: message.into(),
        });
        self
    }

    /// Says what to write instead.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }
}
