//! Why states cannot be read or written, by what the operator can do.

use nervix_database::{FileError, OpenError};

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StateError {
    /// Another worker has the file open.
    #[error("{path} is open in another process: give this worker a folder of its own")]
    Locked {
        /// The file.
        path: String,
    },
    /// Another release wrote the file.
    #[error(
        "{place} has format {found}; this release reads format {supported}: start it with the release that wrote it"
    )]
    Format {
        /// The file.
        place: String,
        /// What it says.
        found: u64,
        /// What this release reads.
        supported: u64,
    },
    /// The file is none of ours, or damaged.
    #[error("{what}; move the file away to start without states")]
    Corrupt {
        /// What is wrong.
        what: String,
    },
    /// It cannot be read or written.
    #[error("the states in {place} cannot be read or written: {message}")]
    Unavailable {
        /// The file.
        place: String,
        /// What the operating system says.
        message: String,
    },
}

impl From<OpenError> for StateError {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Locked { place } => Self::Locked { path: place },
            OpenError::Damaged { place, what } => Self::Corrupt {
                what: format!("{place} is damaged: {what}"),
            },
            OpenError::Foreign { place, what } => Self::Corrupt {
                what: format!("{place} holds no states: {what}"),
            },
            OpenError::Unavailable { place, message } => Self::Unavailable { place, message },
        }
    }
}

impl FileError for StateError {
    fn of_file(&self) -> Option<&str> {
        match self {
            Self::Unavailable { message, .. } => Some(message),
            _ => None,
        }
    }
}
