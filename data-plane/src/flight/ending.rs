//! How the server ends a stream: a gRPC status with a `google.rpc.ErrorInfo` (flight.md "Ends and limits").
//!
//! Invariant: a message is short enough for the trailers of every stock client. Nothing here decides when a stream ends.

use std::{collections::HashMap, time::Duration};

use bytes::Bytes;
use nervix_source_client::RESEND_AFTER;
use prost::Message;
use tonic::{Code, Status, metadata::MetadataValue};
use tonic_types::pb;

/// Longest status message, in bytes; stock clients take some 8 KiB of trailers in all.
pub(crate) const MESSAGE_BYTES_MAX: usize = 3000;
/// How much of the message is repeated inside the details.
const DETAIL_MESSAGE_BYTES_MAX: usize = 200;
/// How long a writer is asked to stay away from what was stopped, or from a node that shuts down.
const COME_BACK_AFTER: Duration = Duration::from_secs(1);
/// What `google.rpc.ErrorInfo` is called inside the details.
const ERROR_INFO_URL: &str = "type.googleapis.com/google.rpc.ErrorInfo";
/// The trailer of Arrow's own status.
const ARROW_STATUS: &str = "x-arrow-status";
/// Who speaks in `ErrorInfo.domain`.
const ERROR_DOMAIN: &str = "nervix";

/// Why a stream or a call ends; each has one word and one status code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// The entity was dropped while the stream was open.
    Dropped,
    /// There is no such entity or domain.
    Unknown,
    /// This node has no assignment yet, so that nothing is known of what it is asked for.
    Starting,
    /// Another node executes the entity now.
    Moved,
    /// The node is shutting down.
    Draining,
    /// The domain is stopped.
    Stopped,
    /// The schema differs now.
    Changed,
    /// A message, or what it unpacks to, is above the limit.
    TooLarge,
    /// `app_metadata` cannot be read, or does not belong on this stream.
    MalformedMetadata,
    /// The Arrow messages cannot be read, or do not belong on this stream.
    MalformedData,
    /// The schema of the writer does not fit.
    SchemaMismatch,
    /// The descriptor is not a path of three parts.
    BadDescriptor,
    /// The call is not part of the protocol.
    Unsupported,
    /// The peer's messages stopped coming, in the middle of one or without the end of the stream.
    Interrupted,
    /// A fault of the server.
    Internal,
}

impl Reason {
    /// The stable word in `ErrorInfo.reason`.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Dropped => "dropped",
            Self::Unknown => "unknown",
            Self::Starting => "starting",
            Self::Moved => "moved",
            Self::Draining => "draining",
            Self::Stopped => "stopped",
            Self::Changed => "changed",
            Self::TooLarge => "too_large",
            Self::MalformedMetadata => "malformed_metadata",
            Self::MalformedData => "malformed_data",
            Self::SchemaMismatch => "schema_mismatch",
            Self::BadDescriptor => "bad_descriptor",
            Self::Unsupported => "unsupported",
            Self::Interrupted => "interrupted",
            Self::Internal => "internal",
        }
    }

    /// How long a writer is asked to wait before it sends again what is open at such an end; zero where it can go on at
    /// once at another place, or where waiting alone cannot help.
    pub(crate) fn retry_after(self) -> Duration {
        match self {
            Self::Draining | Self::Stopped => COME_BACK_AFTER,
            Self::Starting | Self::Internal | Self::Interrupted => RESEND_AFTER,
            Self::Moved
            | Self::Dropped
            | Self::Unknown
            | Self::Changed
            | Self::TooLarge
            | Self::MalformedMetadata
            | Self::MalformedData
            | Self::SchemaMismatch
            | Self::BadDescriptor
            | Self::Unsupported => Duration::ZERO,
        }
    }

    /// The gRPC status code.
    pub(crate) fn code(self) -> Code {
        match self {
            Self::Dropped | Self::Unknown => Code::NotFound,
            Self::Starting | Self::Moved | Self::Draining | Self::Stopped | Self::Interrupted => {
                Code::Unavailable
            }
            Self::Changed => Code::FailedPrecondition,
            Self::TooLarge => Code::ResourceExhausted,
            Self::MalformedMetadata | Self::MalformedData | Self::SchemaMismatch | Self::BadDescriptor => {
                Code::InvalidArgument
            }
            Self::Unsupported => Code::Unimplemented,
            Self::Internal => Code::Internal,
        }
    }
}

/// One end of a stream, as its peer will see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ending {
    reason: Reason,
    message: String,
    /// Where to go, as host:port; empty where there is no such place.
    location: String,
}

impl Ending {
    /// An end with a sentence that says what to do. What would not be seen, or would change how the rest is seen, is
    /// escaped, since names in it can be the peer's; the sentence is cut where it is too long for trailers.
    pub(crate) fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self {
            reason,
            message: cut(shown(&message.into()), MESSAGE_BYTES_MAX),
            location: String::new(),
        }
    }

    /// The end of a call to a node that has just come up.
    pub(crate) fn starting() -> Self {
        Self::new(
            Reason::Starting,
            "this node does not know yet what it is to run; come back in a moment",
        )
    }

    /// The end of what is executed elsewhere now, with the place to go, host:port.
    pub(crate) fn moved(title: &str, location: &str) -> Self {
        let text = format!("{title} is executed by another node now; connect to {location}");
        Self {
            location: location.to_owned(),
            ..Self::new(Reason::Moved, text)
        }
    }

    /// The end of a call for what is not here while another node executes the graph, with the place to ask, host:port.
    /// Whether there is such an entity at all is known there alone.
    pub(crate) fn elsewhere(title: &str, location: &str) -> Self {
        let text = format!(
            "this node has no {title}, because another node executes the graph; ask {location}, which says whether \
             there is one"
        );
        Self {
            location: location.to_owned(),
            ..Self::new(Reason::Moved, text)
        }
    }

    /// Why the stream ends.
    pub(crate) fn reason(&self) -> Reason {
        self.reason
    }

    /// The sentence for the peer.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    fn location(&self) -> HashMap<String, String> {
        let known = (!self.location.is_empty()).then(|| format!("grpc+tcp://{}", self.location));
        known
            .map(|uri| ("location".to_owned(), uri))
            .into_iter()
            .collect()
    }

    /// The status that carries this end.
    pub(crate) fn status(&self) -> Status {
        let info = pb::ErrorInfo {
            reason: self.reason.word().to_owned(),
            domain: ERROR_DOMAIN.to_owned(),
            metadata: self.location(),
        };
        let info = prost_types::Any {
            type_url: ERROR_INFO_URL.to_owned(),
            value: info.encode_to_vec(),
        };
        let details = pb::Status {
            code: self.reason.code().into(),
            message: cut(self.message.clone(), DETAIL_MESSAGE_BYTES_MAX),
            details: vec![info],
        };
        let details = Bytes::from(details.encode_to_vec());
        let mut status = Status::with_details(self.reason.code(), self.message.clone(), details);
        if let Some(arrow) = self.arrow_status() {
            let value = MetadataValue::from_static(arrow);
            status.metadata_mut().insert(ARROW_STATUS, value);
        }
        status
    }

    /// The number of Arrow's own status. Arrow's C++ and Python read the details only beside it. It is left out where it
    /// would make their exception one of another class: they keep no details of a key error or an invalid argument.
    fn arrow_status(&self) -> Option<&'static str> {
        match self.reason.code() {
            Code::Unavailable => Some("5"),
            Code::Internal => Some("9"),
            _ => None,
        }
    }
}

impl From<Ending> for Status {
    fn from(ending: Ending) -> Self {
        ending.status()
    }
}

fn shown(message: &str) -> String {
    let mut shown = String::with_capacity(message.len());
    for c in message.chars() {
        match c {
            '"' | '\'' | '\\' => shown.push(c),
            _ => shown.extend(c.escape_debug()),
        }
    }
    shown
}

fn cut(mut message: String, bytes: usize) -> String {
    if message.len() > bytes {
        message.truncate(message.floor_char_boundary(bytes));
        message.push_str(" … (cut)");
    }
    message
}

#[cfg(test)]
mod tests {
    use tonic::Code;
    use tonic_types::StatusExt;

    use super::{Ending, MESSAGE_BYTES_MAX, Reason};

    #[test]
    fn a_status_carries_its_error_info() {
        let status = Ending::new(Reason::Stopped, "domain `shop` is stopped; START it").status();
        assert_eq!(status.code(), Code::Unavailable);
        let info = status.get_details_error_info().unwrap();
        assert_eq!(
            (info.reason.as_str(), info.domain.as_str()),
            ("stopped", "nervix")
        );
        assert!(info.metadata.is_empty());
    }

    #[test]
    fn pyarrow_reads_the_details_where_its_exception_stays_what_it_is() {
        let trailer = |reason| {
            let status = Ending::new(reason, "x").status();
            status.metadata().get("x-arrow-status").cloned()
        };
        for reason in [Reason::Moved, Reason::Draining, Reason::Stopped, Reason::Starting] {
            assert_eq!(trailer(reason).unwrap(), "5");
        }
        assert_eq!(trailer(Reason::Internal).unwrap(), "9");
        assert_eq!(trailer(Reason::Unknown), None);
    }

    #[test]
    fn a_place_to_go_is_named() {
        let status = Ending::moved("emitter `out`", "n2:7461").status();
        let info = status.get_details_error_info().unwrap();
        assert_eq!(info.metadata["location"], "grpc+tcp://n2:7461");
    }

    #[test]
    fn what_cannot_be_seen_is_escaped() {
        let ending = Ending::new(Reason::Unknown, "no \"i\r\n\0\u{202e}ü\\\"");
        assert_eq!(ending.message(), "no \"i\\r\\n\\0\\u{202e}ü\\\"");
    }

    #[test]
    fn a_long_message_is_cut_between_characters() {
        let ending = Ending::new(Reason::SchemaMismatch, "ü".repeat(MESSAGE_BYTES_MAX));
        assert!(ending.message().len() <= MESSAGE_BYTES_MAX + 16);
        assert!(ending.message().ends_with("(cut)"));
    }
}
