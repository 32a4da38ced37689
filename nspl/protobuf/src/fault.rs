//! Why files give no descriptors, and where.

use std::fmt;

use miette::Diagnostic;

/// One fault. It quotes names of the files, which are no secret.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The file as imports name it, when it belongs to one.
    pub file: Option<String>,
    /// The line, from 1, when it belongs to one.
    pub line: Option<usize>,
    /// What is wrong, without a full stop.
    pub message: String,
}

impl Fault {
    pub(crate) fn new(file: Option<&str>, message: impl Into<String>) -> Fault {
        Fault {
            file: file.map(str::to_owned),
            line: None,
            message: message.into(),
        }
    }

    /// `text` is what the file of that name holds.
    pub(crate) fn of(error: &protox::Error, text: impl FnOnce(&str) -> Option<String>) -> Fault {
        let offset = error
            .labels()
            .and_then(|mut labels| labels.next())
            .map(|label| label.offset());
        let text = error.file().and_then(text);
        let before = text
            .as_deref()
            .zip(offset)
            .and_then(|(text, offset)| text.get(..offset));
        Fault {
            file: error.file().map(str::to_owned),
            line: before.map(|before| before.matches('\n').count() + 1),
            message: error.to_string(),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.file, self.line) {
            (Some(file), Some(line)) => write!(f, "{file}:{line}: {}", self.message),
            (Some(file), None) => write!(f, "{file}: {}", self.message),
            (None, _) => f.write_str(&self.message),
        }
    }
}
