//! Why a connection could not be made, by what an operator can do about it.

use std::fmt;
use std::io;

use thiserror::Error;

use crate::endpoint::Endpoint;
use crate::tls::TlsFault;

/// Why there is no connection. No text quotes a credential or the content of a file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NetFault {
    /// The name has no address now.
    #[error("resolving '{host}' failed: {cause}")]
    Name {
        /// The name.
        host: String,
        /// What the resolver says.
        cause: NameFault,
    },
    /// None of its addresses takes a connection.
    #[error("connecting to {endpoint} failed: {cause}")]
    Connect {
        /// Where to.
        endpoint: Endpoint,
        /// What the first address that was tried says.
        cause: ConnectFault,
    },
    /// The deadline came first.
    #[error("{step} {endpoint} took longer than is granted")]
    TimedOut {
        /// Where to.
        endpoint: Endpoint,
        /// What was going on.
        step: Step,
    },
    /// The connection was made and TLS was not.
    #[error("{0}")]
    Tls(TlsFault),
}

/// What was going on when a deadline came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The name was asked for.
    Resolving,
    /// An address was tried.
    Connecting,
    /// TLS was negotiated.
    Negotiating,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Resolving => "resolving the name of",
            Self::Connecting => "connecting to",
            Self::Negotiating => "negotiating TLS with",
        })
    }
}

/// Why a name gives no address.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NameFault {
    /// A name server says that there is no such name.
    #[error("the name does not exist")]
    Missing,
    /// The name exists, without an address.
    #[error("the name has no address")]
    NoAddress,
    /// No name server answered in time.
    #[error("no name server answered in time")]
    Unanswered,
    /// A name server refuses, or is in trouble itself.
    #[error("a name server answered {0}")]
    Answered(String),
    /// No name server could be asked.
    #[error("no name server can be reached")]
    Unreachable,
    /// It is no name at all.
    #[error("it is not a valid name")]
    Invalid,
}

/// Why an address takes no connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ConnectFault {
    /// Nothing listens there.
    #[error("the connection was refused")]
    Refused,
    /// There is no way to it.
    #[error("the address cannot be reached")]
    Unreachable,
    /// Its share of the time was up; other addresses were tried.
    #[error("the address did not answer in time")]
    TimedOut,
    /// This machine has no port left, or may not use one.
    #[error("this machine has no free port or file for a connection")]
    Exhausted,
    /// Something else.
    #[error("{0}")]
    Other(io::ErrorKind),
}

impl ConnectFault {
    /// What the operating system's error means.
    pub(crate) fn of(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::ConnectionRefused => Self::Refused,
            io::ErrorKind::HostUnreachable
            | io::ErrorKind::NetworkUnreachable
            | io::ErrorKind::NetworkDown => Self::Unreachable,
            io::ErrorKind::TimedOut => Self::TimedOut,
            io::ErrorKind::AddrNotAvailable | io::ErrorKind::AddrInUse => Self::Exhausted,
            _ if error.raw_os_error().is_some_and(is_out_of_files) => Self::Exhausted,
            other => Self::Other(other),
        }
    }
}

/// EMFILE and ENFILE, for which the library has no kind.
fn is_out_of_files(code: i32) -> bool {
    matches!(code, 23 | 24)
}
