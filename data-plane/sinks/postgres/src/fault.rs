//! Why an attempt gave no answer about rows: the transient error that DESCRIBE EMITTER shows.
//!
//! Each names its cause, and none quotes a value, a credential or the address. What the server says in its own words is
//! quoted only where no row was sent, since about a row it may quote the row.

use std::error::Error as _;
use std::io;

use nervix_net::{NetFault, TlsFault, TlsFaultKind};
use nervix_sink::{Failure, FailureKind};
use thiserror::Error;

use crate::bounded::Flood;
use crate::sqlstate::class;

/// What ended an attempt. Each is the whole destination's trouble, never a row's fault.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum Fault {
    #[error("Postgres connection failed: {0}")]
    Connect(NetFault),
    #[error("Postgres TLS cannot be set up: {0}")]
    TlsFiles(TlsFault),
    #[error("Postgres TLS failed: {0}")]
    Tls(TlsFault),
    #[error("Postgres at this address speaks no TLS, and sslmode=verify-full needs it")]
    NoTls,
    #[error("Postgres did not take the connection within {0} ms")]
    ConnectTimedOut(u128),
    #[error("Postgres login cannot be completed: {0}")]
    Login(String),
    #[error("Postgres refused the connection: {0}")]
    Refused(Answered),
    #[error("Postgres takes no writes here, and target_session_attrs=read-write asks for a host that does")]
    ReadOnly,
    #[error("Postgres cannot take the columns of the emitter: {0}")]
    Columns(Answered),
    #[error("Postgres did not take an insert: {0}")]
    Insert(Answered),
    #[error("Postgres did not answer an insert within {0} ms")]
    TimedOut(u128),
    #[error("Postgres did not tell the columns of the table within {0} ms")]
    ColumnsTimedOut(u128),
    #[error("Postgres connection ended before the answer")]
    Ended,
    #[error("Postgres connection broke before the answer: {0}")]
    Broken(io::ErrorKind),
    #[error("Postgres sent what no server has reason to send: {0}")]
    Flood(Flood),
    #[error("Postgres answered what cannot be read")]
    Protocol,
    #[error("the columns of the table changed while rows were written")]
    Changing,
    #[error("the pool of the client is closed")]
    Closed,
}

/// An error of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answered {
    /// SQLSTATE.
    pub(crate) code: String,
    /// In its own words, where those are about no row.
    pub(crate) words: Option<String>,
}

impl std::fmt::Display for Answered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SQLSTATE {} ({})", self.code, class(&self.code).name)?;
        match &self.words {
            Some(words) => write!(f, ": {words}"),
            None => Ok(()),
        }
    }
}

/// What was going on when the driver gave up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum During {
    Connecting,
    Describing,
    Inserting,
}

impl Fault {
    /// What an error of the driver means.
    pub(crate) fn of(error: &tokio_postgres::Error, during: During) -> Self {
        if let Some(answer) = error.as_db_error() {
            let words = (during != During::Inserting).then(|| answer.message().to_owned());
            let answered = Answered {
                code: answer.code().code().to_owned(),
                words,
            };
            return match during {
                During::Connecting => Self::Refused(answered),
                During::Describing => Self::Columns(answered),
                During::Inserting => Self::Insert(answered),
            };
        }
        if error.is_closed() {
            return Self::Ended;
        }
        match error.source().and_then(|cause| cause.downcast_ref::<io::Error>()) {
            Some(error) => match TlsFault::of(error) {
                Some(fault) => Self::Tls(fault),
                None if error.kind() == io::ErrorKind::UnexpectedEof => Self::Ended,
                None => match flood(error) {
                    Some(flood) => Self::Flood(flood),
                    // What the driver says of messages, as though the connection had said it.
                    None if is_of_a_message(error.kind()) => Self::Protocol,
                    None => Self::Broken(error.kind()),
                },
            },
            None if during == During::Connecting => match error.source().map(ToString::to_string) {
                Some(cause) if cause.contains("does not support TLS") => Self::NoTls,
                Some(cause) => Self::Login(cause),
                None => Self::Login(error.to_string()),
            },
            None => Self::Protocol,
        }
    }

    /// What the emitter is told.
    pub(crate) fn failure(&self) -> Failure {
        Failure::new(self.kind(), self.to_string())
    }

    /// Whether another host of the address may take the connection: credentials and files are the same for all of them.
    pub(crate) fn is_of_one_host(&self) -> bool {
        !matches!(self.kind(), FailureKind::Unauthorized | FailureKind::Missing)
    }

    fn kind(&self) -> FailureKind {
        match self {
            Self::TimedOut(_) | Self::ColumnsTimedOut(_) | Self::ConnectTimedOut(_) => FailureKind::TimedOut,
            Self::TlsFiles(_) => FailureKind::Missing,
            Self::Login(_) => FailureKind::Unauthorized,
            Self::Tls(fault) if fault.kind == TlsFaultKind::ClientCertificate => FailureKind::Unauthorized,
            Self::Refused(answered) | Self::Columns(answered) | Self::Insert(answered) => answered.kind(),
            _ => FailureKind::Unavailable,
        }
    }
}

fn is_of_a_message(kind: io::ErrorKind) -> bool {
    use io::ErrorKind::{InvalidData, InvalidInput, Other};
    matches!(kind, InvalidData | InvalidInput | Other)
}

impl Answered {
    fn kind(&self) -> FailureKind {
        match (self.code.as_str(), self.code.get(..2)) {
            ("42501", _) | (_, Some("28")) => FailureKind::Unauthorized,
            (_, Some("42" | "3D" | "3F" | "0A")) => FailureKind::Missing,
            ("57014", _) => FailureKind::TimedOut,
            (_, Some("53")) => FailureKind::Throttled,
            _ => FailureKind::Unavailable,
        }
    }
}

fn flood(error: &io::Error) -> Option<Flood> {
    error
        .get_ref()
        .and_then(|cause| cause.downcast_ref::<Flood>())
        .copied()
}

impl From<NetFault> for Fault {
    fn from(fault: NetFault) -> Self {
        match fault {
            NetFault::Tls(fault) => fault.into(),
            fault => Self::Connect(fault),
        }
    }
}

impl From<TlsFault> for Fault {
    fn from(fault: TlsFault) -> Self {
        match fault.kind {
            TlsFaultKind::File => Self::TlsFiles(fault),
            _ => Self::Tls(fault),
        }
    }
}
