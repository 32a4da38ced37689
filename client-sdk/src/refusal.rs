//! Why a server refused a call or ended a stream (flight.md "Ends and limits").
//!
//! Reads the `google.rpc.ErrorInfo` beside the status and says whether coming back can help. It does not come back itself.

use std::fmt;

use tonic_types::StatusExt;

/// The status codes of gRPC.
pub use tonic::Code;

/// The server's status and, where it gave one, the machine-readable reason and the place to go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The status.
    pub code: Code,
    /// `ErrorInfo.reason`, such as `dropped`, `moved`, `draining`, `stopped`, `changed`, `too_large`.
    pub reason: Option<String>,
    /// A sentence for a person.
    pub message: String,
    /// `ErrorInfo.metadata["location"]`: where to go instead.
    pub location: Option<String>,
}

/// What a client does after a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Remedy {
    /// Nothing that this stream can do will help.
    GiveUp,
    /// The entity is not known where the client asked; it may not have arrived there yet.
    LookAgain,
    /// Connect again, after a delay.
    ComeBack,
}

impl Refusal {
    pub(crate) fn from_status(status: &tonic::Status) -> Self {
        let (reason, location) = match status.get_details_error_info() {
            Some(mut info) => (
                Some(info.reason).filter(|reason| !reason.is_empty()),
                info.metadata.remove("location"),
            ),
            None => (None, None),
        };
        Refusal {
            code: status.code(),
            reason,
            message: status.message().to_owned(),
            location,
        }
    }

    pub(crate) fn remedy(&self) -> Remedy {
        let reason = self.reason.as_deref().unwrap_or_default().to_ascii_lowercase();
        match (self.code, reason.as_str()) {
            (_, "moved" | "draining" | "stopped" | "interrupted") => Remedy::ComeBack,
            (_, "dropped" | "changed" | "too_large") => Remedy::GiveUp,
            (Code::NotFound, _) => Remedy::LookAgain,
            (
                Code::InvalidArgument
                | Code::FailedPrecondition
                | Code::ResourceExhausted
                | Code::OutOfRange
                | Code::Unimplemented
                | Code::PermissionDenied
                | Code::Unauthenticated,
                _,
            ) => Remedy::GiveUp,
            _ => Remedy::ComeBack,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.message.as_str() {
            "" => write!(f, "{}", self.code.description())?,
            message => f.write_str(message)?,
        }
        match &self.location {
            Some(location) => write!(f, " (go to {location})"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
