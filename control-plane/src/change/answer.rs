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

/// What a script could not do at run time (codes E30xx).
pub(crate) mod code {
    /// What a change touches did not drain.
    pub(crate) const DRAIN: &str = "E3001";
    /// Other control planes kept committing.
    pub(crate) const CONFLICT: &str = "E3002";
    /// The store cannot be read or written.
    pub(crate) const STORE: &str = "E3003";
    /// The folder of UPLOAD RESOURCE is the client's.
    pub(crate) const UPLOAD: &str = "E3004";
    /// A node statement about a node that does not exist, or cannot do what it asks.
    pub(crate) const NODE: &str = "E3005";
    /// DROP DOMAIN of a running one.
    pub(crate) const RUNNING: &str = "E3006";
}
