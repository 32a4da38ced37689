//! What can go wrong for an application, by what it can do about it.

use crate::refusal::Refusal;

/// An error of this library. It is cheap to clone: one broken stream may fail many tickets.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The address is malformed: correct it.
    #[error("{address:?} is no address of a server: {message}")]
    BadAddress {
        /// As given.
        address: String,
        /// What is wrong with it.
        message: String,
    },
    /// Nobody answers there, or no worker is connected: try again later.
    #[error("cannot reach {address}: {message}")]
    Unreachable {
        /// What was tried.
        address: String,
        /// The transport's reason.
        message: String,
    },
    /// The control plane was asked, and no answer came that says what it did: look what it did before asking again.
    #[error("no answer from {address} ({message}): whether it did what it was asked for is not known")]
    Unanswered {
        /// Who was asked.
        address: String,
        /// The transport's reason, or the server's.
        message: String,
    },
    /// The server answered, and refused: see its code and reason.
    #[error("{0}")]
    Refused(Refusal),
    /// A batch is larger than one message may be: write it in slices.
    #[error(
        "the batch has {bytes} encoded bytes, more than the {limit} that one message may have: write it in slices"
    )]
    TooLarge {
        /// Encoded bytes of the batch, header and body.
        bytes: usize,
        /// The limit that applies, in bytes.
        limit: usize,
    },
    /// A batch does not have the schema that the writer was opened with, or cannot be encoded.
    #[error("the batch cannot be written: {0}")]
    Batch(String),
    /// A file or folder to upload could not be read.
    #[error("cannot read {path}: {message}")]
    Unreadable {
        /// The path as given.
        path: String,
        /// The system's reason.
        message: String,
    },
    /// A reject's reason is not what the protocol takes.
    #[error("a reject's reason has 1 to 256 bytes of [A-Za-z0-9_.:-]")]
    Reason,
    /// The server said something that the protocol does not know: the versions differ.
    #[error("the server broke the client protocol: {0}")]
    Protocol(String),
    /// The writer or consumer was closed or dropped before an answer came.
    #[error("the stream was closed before the answer came")]
    Closed,
}

impl Error {
    /// The refusal, when the server refused.
    #[must_use]
    pub fn refusal(&self) -> Option<&Refusal> {
        match self {
            Error::Refused(refusal) => Some(refusal),
            _ => None,
        }
    }
}

impl From<tonic::Status> for Error {
    fn from(status: tonic::Status) -> Self {
        Error::Refused(Refusal::from_status(&status))
    }
}
