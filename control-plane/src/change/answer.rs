//! What became of a script and of each of its statements.

use std::ops::Range;

use nspl::{ChangeClass, Diagnostic};

/// What became of a script.
#[derive(Debug, Default)]
pub(crate) struct Executed {
    /// One for each statement, in order; none when the text was refused.
    pub(crate) results: Vec<StepResult>,
    pub(crate) findings: Vec<Finding>,
    /// The domain in effect afterwards.
    pub(crate) domain: Option<String>,
}

/// A diagnostic and the text it is about, where that is not the script itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding(pub(crate) Diagnostic);

/// What became of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Ok,
    AlreadyExisted,
    Refused,
    NotRun,
}

/// What became of one statement.
#[derive(Debug, Clone)]
pub(crate) struct StepResult {
    pub(crate) status: Status,
    /// Its first words.
    pub(crate) statement: String,
    pub(crate) message: String,
    pub(crate) class: Option<ChangeClass>,
    pub(crate) table: Option<Table>,
}

/// Rows of a reading statement.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Table {
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(columns: &[&str], rows: Vec<Vec<String>>) -> Self {
        Self {
            columns: columns.iter().map(|column| (*column).to_owned()).collect(),
            rows,
        }
    }
}

/// Why a statement was refused when it ran.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Refusal {
    /// Documented with the other codes.
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

impl Refusal {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            help: None,
        }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(super) fn finding(self, span: Range<usize>) -> Finding {
        let diagnostic = Diagnostic::error(self.code, span, self.message);
        Finding(match self.help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        })
    }
}

/// The codes of what was refused when it ran, each with what it means; for the reference.
pub const RUNTIME_CODES: [(&str, &str); 8] = [
    (
        code::DRAIN,
        "What a change touches did not drain within its bound, so nothing changed and the old definition goes on.",
    ),
    (
        code::CONFLICT,
        "Other control planes kept changing the catalog while the script ran: run it again.",
    ),
    (
        code::STORE,
        "The store could not be read or written: run the script again when it answers.",
    ),
    (
        code::UPLOAD,
        "UPLOAD RESOURCE reads a folder of the client: use `nervix apply`, or the call UploadResource.",
    ),
    (
        code::NODE,
        "A node statement names a node that does not exist, or asks what cannot be done with it.",
    ),
    (code::RUNNING, "DROP DOMAIN of a running domain: STOP it first."),
    (
        code::FILES,
        "The files of resources that the codecs of one script are judged by have more than 64 MiB.",
    ),
    (
        code::BUSY,
        "Too many scripts wait to be judged: run the script again later.",
    ),
];

/// What a script could not do at run time.
pub(crate) mod code {
    pub(crate) const DRAIN: &str = "E3001";
    pub(crate) const CONFLICT: &str = "E3002";
    pub(crate) const STORE: &str = "E3003";
    pub(crate) const UPLOAD: &str = "E3004";
    pub(crate) const NODE: &str = "E3005";
    pub(crate) const RUNNING: &str = "E3006";
    pub(crate) const FILES: &str = "E3007";
    pub(crate) const BUSY: &str = "E3008";
}
