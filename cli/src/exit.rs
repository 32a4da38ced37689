//! What the process tells its caller: the exit codes, and the errors behind them.

use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// 0: done.
    Done,
    /// 1: refused. The script has faults, records were refused, or a server did not drain.
    Refused,
    /// 2: could not run. A file is missing, nobody answers, the arguments make no sense.
    CouldNotRun,
    /// 3: an existing definition differs from what IF NOT EXISTS says.
    Differs,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(match exit {
            Exit::Done => 0,
            Exit::Refused => 1,
            Exit::CouldNotRun => 2,
            Exit::Differs => 3,
        })
    }
}

/// Why a command could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// A file or stream of this machine.
    #[error("{what}: {error}")]
    Io {
        /// The path or stream.
        what: String,
        /// The system's reason.
        error: std::io::Error,
    },
    /// The server, or the way to it.
    #[error(transparent)]
    Client(#[from] nervix_client::Error),
    /// The store.
    #[error(transparent)]
    Store(#[from] nervix_store::StoreError),
    /// Arguments or input that make no sense together; the text has the remedy.
    #[error("{0}")]
    Usage(String),
    /// What was asked was looked at and refused; the text has the reason.
    #[error("{0}")]
    Refused(String),
}

impl Failure {
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let what = what.into();
        move |error| Failure::Io { what, error }
    }

    pub(crate) fn exit(&self) -> Exit {
        match self {
            Failure::Refused(_) => Exit::Refused,
            Failure::Client(error) if error.refusal().is_some() => Exit::Refused,
            _ => Exit::CouldNotRun,
        }
    }

    /// Whether the reader of our output has gone, as `head` does when it has seen enough.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        matches!(self, Failure::Io { error, .. } if error.kind() == std::io::ErrorKind::BrokenPipe)
    }
}
