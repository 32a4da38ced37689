//! Why there is no TLS.

use std::fmt;
use std::io;

use rustls::{CertificateError, Error};
use thiserror::Error as ThisError;

/// A failure of TLS, before, in or after the handshake.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
#[error("{message}")]
pub struct TlsFault {
    /// What sort it is.
    pub kind: TlsFaultKind,
    message: String,
}

/// Sorts of failures of TLS, by what helps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TlsFaultKind {
    /// A file of the client's configuration is missing, unreadable or of another form.
    File,
    /// The certificate is one of another host.
    OtherHost,
    /// Nobody who is trusted issued the certificate.
    UnknownIssuer,
    /// The certificate is no longer, or not yet, valid.
    Expired,
    /// The certificate is bad for another reason.
    Certificate,
    /// The peer refuses this client's certificate, or wants one.
    ClientCertificate,
    /// The peer speaks no TLS, or none that this client speaks.
    Protocol,
    /// The connection ended.
    Broken,
}

impl TlsFault {
    /// A file is not what it should be. `message` names it and what would be right.
    pub(super) fn file(message: String) -> Self {
        Self {
            kind: TlsFaultKind::File,
            message,
        }
    }

    /// A host that no certificate can name.
    pub(super) fn host(host: &str) -> Self {
        Self {
            kind: TlsFaultKind::OtherHost,
            message: format!("'{host}' is no name that a certificate can be valid for"),
        }
    }

    /// What ended a handshake.
    pub(super) fn in_handshake(error: &io::Error) -> Self {
        Self::of(error).unwrap_or_else(|| Self {
            kind: TlsFaultKind::Broken,
            message: match error.kind() {
                io::ErrorKind::UnexpectedEof => "the peer closed the connection".to_owned(),
                kind => kind.to_string(),
            },
        })
    }

    /// The failure of TLS behind an error of a TLS stream; none where it is the connection's. With TLS 1.3 a peer refuses
    /// a client's certificate after the handshake, so reading and writing can show it too.
    pub fn of(error: &io::Error) -> Option<Self> {
        let error = error.get_ref()?.downcast_ref::<Error>()?;
        Some(Self {
            kind: TlsFaultKind::of(error),
            message: error.to_string(),
        })
    }
}

impl TlsFaultKind {
    fn of(error: &Error) -> Self {
        use rustls::AlertDescription as Alert;
        match error {
            Error::InvalidCertificate(cause) => match cause {
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                    Self::OtherHost
                }
                // An authority that bears the name of a trusted one and is another.
                CertificateError::UnknownIssuer | CertificateError::BadSignature => Self::UnknownIssuer,
                CertificateError::Expired
                | CertificateError::ExpiredContext { .. }
                | CertificateError::NotValidYet
                | CertificateError::NotValidYetContext { .. } => Self::Expired,
                _ => Self::Certificate,
            },
            Error::AlertReceived(
                Alert::NoCertificate
                | Alert::BadCertificate
                | Alert::UnsupportedCertificate
                | Alert::CertificateRevoked
                | Alert::CertificateExpired
                | Alert::CertificateUnknown
                | Alert::UnknownCA
                | Alert::AccessDenied
                | Alert::CertificateRequired,
            ) => Self::ClientCertificate,
            _ => Self::Protocol,
        }
    }
}

impl fmt::Display for TlsFaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::File => "file",
            Self::OtherHost => "other_host",
            Self::UnknownIssuer => "unknown_issuer",
            Self::Expired => "expired",
            Self::Certificate => "certificate",
            Self::ClientCertificate => "client_certificate",
            Self::Protocol => "protocol",
            Self::Broken => "broken",
        })
    }
}
