//! Why an attempt ended without final headers: the transient error that DESCRIBE EMITTER shows.
//!
//! Each names its cause, and none quotes a target, a header or a body.

use std::io;

use nervix_net::{NetFault, TlsFault, TlsFaultKind};
use nervix_sink::{Failure, FailureKind};
use thiserror::Error;

use crate::limits::{RESPONSE_BLOCK_BYTES_MAX, RESPONSE_FIELD_BYTES_MAX, RESPONSE_FIELDS_MAX};

/// What ended an attempt. Each is ambiguous or the whole endpoint's trouble, never a record's fault.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum AttemptFault {
    #[error("HTTP connection failed: {0}")]
    Connect(NetFault),
    #[error("HTTP TLS handshake failed: {0}")]
    Handshake(TlsFault),
    #[error("HTTP TLS cannot be set up: {0}")]
    TlsFiles(TlsFault),
    #[error("HTTP TLS connection failed: {0}")]
    Tls(TlsFault),
    #[error("HTTP request timed out before complete final response headers")]
    TimedOut,
    #[error("HTTP request timed out before complete final response headers: {0}")]
    TimedOutDialling(NetFault),
    #[error("HTTP request could not be sent: {0}")]
    Send(io::ErrorKind),
    #[error("HTTP connection failed before complete final response headers: {0}")]
    Receive(io::ErrorKind),
    #[error("HTTP connection ended before complete final response headers")]
    Ended,
    #[error("HTTP response headers are malformed: {0}")]
    Malformed(&'static str),
    #[error("HTTP response header block has more than {RESPONSE_FIELDS_MAX} fields")]
    TooManyFields,
    #[error("HTTP response header block has more than {RESPONSE_FIELD_BYTES_MAX} bytes of names and values")]
    FieldsTooLarge,
    #[error("HTTP response header block has more than {RESPONSE_BLOCK_BYTES_MAX} bytes")]
    BlockTooLarge,
}

impl AttemptFault {
    /// A write that failed.
    pub(crate) fn send(error: &io::Error) -> Self {
        TlsFault::of(error).map_or_else(|| Self::Send(error.kind()), Self::Tls)
    }

    /// A read that failed.
    pub(crate) fn receive(error: &io::Error) -> Self {
        match TlsFault::of(error) {
            Some(fault) => Self::Tls(fault),
            // TLS that ends without saying so.
            None if error.kind() == io::ErrorKind::UnexpectedEof => Self::Ended,
            None => Self::Receive(error.kind()),
        }
    }

    /// Whether the connection was lost, which a failed send explains better.
    pub(crate) fn is_loss(&self) -> bool {
        matches!(self, Self::Receive(_) | Self::Ended)
    }

    /// What the emitter is told.
    pub(crate) fn failure(&self) -> Failure {
        Failure::new(self.kind(), self.to_string())
    }

    fn kind(&self) -> FailureKind {
        match self {
            Self::TimedOut | Self::TimedOutDialling(_) => FailureKind::TimedOut,
            Self::TlsFiles(_) => FailureKind::Missing,
            Self::Handshake(fault) | Self::Tls(fault) if fault.kind == TlsFaultKind::ClientCertificate => {
                FailureKind::Unauthorized
            }
            _ => FailureKind::Unavailable,
        }
    }
}

impl From<NetFault> for AttemptFault {
    fn from(fault: NetFault) -> Self {
        match fault {
            NetFault::Tls(fault) => fault.into(),
            NetFault::TimedOut { .. } => Self::TimedOutDialling(fault),
            NetFault::Name { .. } | NetFault::Connect { .. } => Self::Connect(fault),
        }
    }
}

impl From<TlsFault> for AttemptFault {
    fn from(fault: TlsFault) -> Self {
        match fault.kind {
            TlsFaultKind::File => Self::TlsFiles(fault),
            _ => Self::Handshake(fault),
        }
    }
}
