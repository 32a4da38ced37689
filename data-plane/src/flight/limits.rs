//! The bound of whole gRPC messages (`--flight-max-message`, flight.md "Ends and limits").

use nervix_listener::unreadable;
use tonic::{Code, Status};

use super::{
    ending::{Ending, Reason},
    metadata::METADATA_BYTES_MAX,
};

/// What of a message is not the Arrow message: metadata, descriptor, framing.
pub(crate) const MESSAGE_OVERHEAD_BYTES: u64 = 64 * 1024;

/// The message that names what a call is about.
const DESCRIPTOR: &str = "FlightDescriptor.";
/// The longest message of a call that carries no rows: metadata, and what stands around it.
const REQUEST_BYTES_MAX: usize = METADATA_BYTES_MAX + MESSAGE_OVERHEAD_BYTES as usize;

/// The bound of one message, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MessageLimit(usize);

impl MessageLimit {
    pub(crate) fn new(bytes: usize) -> Self {
        Self(bytes)
    }

    pub(crate) fn bytes(self) -> usize {
        self.0
    }

    /// The bound of a message without rows, which waits for no room.
    pub(crate) fn request_bytes(self) -> usize {
        self.0.min(REQUEST_BYTES_MAX)
    }

    /// The end of a stream with a larger message.
    pub(crate) fn exceeded(self) -> Ending {
        let text = format!(
            "a message is larger than {} bytes; send smaller batches, or start the worker with a larger \
             --flight-max-message",
            self.bytes()
        );
        Ending::new(Reason::TooLarge, text)
    }

    /// The largest BATCH MAX SIZE that a CLIENT emitter may have here.
    pub(crate) fn batch_bytes_max(self) -> u64 {
        (self.0 as u64).saturating_sub(MESSAGE_OVERHEAD_BYTES)
    }
}

/// What an error of the transport means to the peer; nothing where the peer is gone.
pub(crate) fn of_transport(status: &Status, limit: MessageLimit) -> Option<Ending> {
    match status.code() {
        Code::OutOfRange => Some(limit.exceeded()),
        Code::DeadlineExceeded => Some(Ending::new(Reason::Interrupted, status.message())),
        _ => unreadable(status).map(of_unreadable),
    }
}

/// The end of a call or stream one of whose messages cannot be read.
pub(crate) fn of_unreadable(fault: &str) -> Ending {
    let reason = if fault.contains(DESCRIPTOR) {
        Reason::BadDescriptor
    } else {
        Reason::MalformedData
    };
    Ending::new(reason, format!("a message cannot be read: {fault}"))
}

/// The same for a consumer's stream, whose messages carry no rows.
pub(crate) fn of_requests(status: &Status, limit: MessageLimit) -> Option<Ending> {
    if status.code() == Code::OutOfRange && limit.request_bytes() < limit.bytes() {
        let text = format!(
            "a message is larger than {} bytes; a consumer sends no rows, and fewer refs in one message",
            limit.request_bytes()
        );
        return Some(Ending::new(Reason::MalformedMetadata, text));
    }
    of_transport(status, limit)
}

#[cfg(test)]
mod tests {
    use tonic::{Code, Status};

    use super::{MessageLimit, of_requests, of_transport};

    #[test]
    fn a_message_that_stopped_is_to_come_again_and_one_that_is_too_large_is_not() {
        let limit = MessageLimit::new(4 * 1024 * 1024);
        let stopped = of_transport(&Status::deadline_exceeded("it stopped"), limit).unwrap();
        assert_eq!(
            (stopped.reason().word(), stopped.reason().code()),
            ("interrupted", Code::Unavailable)
        );
        assert!(!stopped.reason().retry_after().is_zero());
        let large = Status::out_of_range("too long");
        let written = of_transport(&large, limit).unwrap();
        assert_eq!(written.reason().code(), Code::ResourceExhausted);
        let said = of_requests(&large, limit).unwrap();
        assert_eq!(said.reason().code(), Code::InvalidArgument);
        assert!(said.message().contains("fewer refs"), "{}", said.message());
        assert!(of_requests(&Status::cancelled("gone"), limit).is_none());
    }
}
