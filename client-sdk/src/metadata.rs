//! The messages in `app_metadata`, as protobuf (flight.md "Metadata").
//!
//! The only place that knows the generated types of the client protocol; sessions see plain values.

use bytes::Bytes;
use nervix_proto::client::v1::{
    Ack, Answer, ClientMessage, Credit, Delivery, Hello, Outcome, Reject, Retry, Revoked, ServerMessage,
    answer, client_message, outcome, revoked, server_message,
};
use prost::Message;

use crate::error::Error;

/// The longest reason of a reject, in bytes.
const REASON_BYTES_MAX: usize = 256;

pub(crate) use nervix_proto::client::v1::{
    Answer as AnswerMessage, Delivery as DeliveryMessage, answer::Status as AnswerStatus,
    outcome::Result as OutcomeResult, revoked::Reason as RevokedReason,
};

/// What the server says on either stream.
#[derive(Debug)]
pub(crate) enum Said {
    Answer(Answer, AnswerStatus),
    Delivery(Delivery),
    Outcome(String, OutcomeResult),
    Revoked(String, RevokedReason),
}

/// `hello {}`: selects protobuf for the server's messages.
pub(crate) fn hello() -> Bytes {
    encode(client_message::Body::Hello(Hello {}))
}

pub(crate) fn credit(batches: u32) -> Bytes {
    encode(client_message::Body::Credit(Credit { batches }))
}

pub(crate) fn ack(refs: Vec<String>) -> Bytes {
    encode(client_message::Body::Ack(Ack { refs }))
}

pub(crate) fn retry(refs: Vec<String>) -> Bytes {
    encode(client_message::Body::Retry(Retry { refs }))
}

pub(crate) fn reject(refs: Vec<String>, reason: String) -> Bytes {
    encode(client_message::Body::Reject(Reject { refs, reason }))
}

/// Whether `reason` is what [`Delivery::reject`](crate::Delivery::reject) takes: 1 to 256 bytes of `[A-Za-z0-9_.:-]`
/// (flight.md "Metadata").
#[must_use]
pub fn reason_is_well_formed(reason: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'-');
    !reason.is_empty() && reason.len() <= REASON_BYTES_MAX && reason.bytes().all(allowed)
}

/// Reads a server's message; `None` for a body that this version does not know, which the protocol says to ignore.
pub(crate) fn read(metadata: &[u8]) -> Result<Option<Said>, Error> {
    let message = ServerMessage::decode(metadata)
        .map_err(|_| Error::Protocol("metadata that is no ServerMessage".to_owned()))?;
    let said = match message.body {
        None => return Ok(None),
        Some(server_message::Body::Answer(answer)) => {
            let status = known(answer::Status::try_from(answer.status), "answer.status")?;
            Said::Answer(answer, status)
        }
        Some(server_message::Body::Delivery(delivery)) => Said::Delivery(delivery),
        Some(server_message::Body::Outcome(Outcome { r#ref, result })) => {
            Said::Outcome(r#ref, known(outcome::Result::try_from(result), "outcome.result")?)
        }
        Some(server_message::Body::Revoked(Revoked { r#ref, reason })) => {
            Said::Revoked(r#ref, known(revoked::Reason::try_from(reason), "revoked.reason")?)
        }
    };
    Ok(Some(said))
}

fn known<T, E>(word: Result<T, E>, field: &str) -> Result<T, Error> {
    word.map_err(|_| Error::Protocol(format!("a value of {field} that this client does not know")))
}

fn encode(body: client_message::Body) -> Bytes {
    ClientMessage { body: Some(body) }.encode_to_vec().into()
}

#[cfg(test)]
mod tests {
    use super::{hello, read, reason_is_well_formed};

    #[test]
    fn hello_is_not_empty_since_empty_metadata_selects_nothing() {
        assert!(!hello().is_empty());
    }

    #[test]
    fn a_reason_is_short_ascii_without_blanks() {
        assert!(reason_is_well_formed("bad-customer:42_x.y"));
        assert!(reason_is_well_formed(&"x".repeat(256)));
        for reason in ["", "a b", "ä", "x\n", &"x".repeat(257)] {
            assert!(!reason_is_well_formed(reason), "{reason:?}");
        }
    }

    #[test]
    fn an_unknown_body_is_ignored_and_garbage_is_an_error() {
        assert!(read(&[]).unwrap().is_none());
        assert!(read(&[0xff]).is_err());
    }
}
