//! Why a store could not do what it was asked, by what the caller can do about it.

use nervix_database::{FileError, OpenError};

use crate::Revision;

/// Refusals and failures of a store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another commit was first: read the new head, check again, and commit for that.
    #[error("another commit was first: the store is at revision {head}")]
    Conflict {
        /// Where the store is now.
        head: Revision,
    },
    /// The revision is no longer kept: read the head instead.
    #[error("revision {revision} is no longer kept; the oldest that can be read is {oldest}")]
    Pruned {
        /// What was asked for.
        revision: Revision,
        /// The oldest that is kept.
        oldest: Revision,
    },
    /// The revision does not exist yet.
    #[error("revision {revision} does not exist; the store is at {head}")]
    Future {
        /// What was asked for.
        revision: Revision,
        /// Where the store is.
        head: Revision,
    },
    /// Another process has the store open.
    #[error("{path} is in use by another control plane: stop that one, or give this one a store of its own")]
    Locked {
        /// The store's file.
        path: String,
    },
    /// The store was written by a release with another format.
    #[error(
        "the store at {place} has format {found}; this release reads format {supported}: use the release that wrote it"
    )]
    Format {
        /// The file or the address of the store.
        place: String,
        /// What the store says.
        found: u64,
        /// What this release knows.
        supported: u64,
    },
    /// What was stored cannot be read: restore a backup.
    #[error("the store is damaged: {what}")]
    Corrupt {
        /// What is wrong, without stored values.
        what: String,
    },
    /// The file is no store: it is left as it is.
    #[error("{place} is not a store: {what}")]
    Foreign {
        /// The file.
        place: String,
        /// How that was noticed.
        what: String,
    },
    /// Something is larger than a store takes.
    #[error("{what} of {bytes} bytes is larger than {max}")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// Its size.
        bytes: usize,
        /// The bound.
        max: usize,
    },
    /// No such blob, or not so many chunks.
    #[error("blob {blob} has no chunk {index}")]
    NoChunk {
        /// The blob's name.
        blob: String,
        /// Which chunk.
        index: u32,
    },
    /// The store cannot be reached now: try again later.
    #[error("the store at {place} cannot be reached: {message}")]
    Unavailable {
        /// The file or the address of the store.
        place: String,
        /// What its driver says.
        message: String,
    },
    /// The answer to a commit was lost: it has taken effect or never will; read the head to see.
    #[error("the answer to a commit was lost; it may have taken effect: {message}")]
    Unknown {
        /// What its driver says.
        message: String,
    },
}

impl From<OpenError> for StoreError {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Locked { place } => Self::Locked { path: place },
            OpenError::Damaged { place, what } => Self::Corrupt {
                what: format!("{place}: {what}"),
            },
            OpenError::Foreign { place, what } => Self::Foreign { place, what },
            OpenError::Unavailable { place, message } => Self::Unavailable { place, message },
        }
    }
}

impl FileError for StoreError {
    fn of_file(&self) -> Option<&str> {
        match self {
            Self::Unavailable { message, .. } | Self::Unknown { message } => Some(message),
            _ => None,
        }
    }
}
