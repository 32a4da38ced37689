//! The bound of whole gRPC messages (`--flight-max-message`, flight.md "Ends and limits").

use tonic::{Code, Status};

use super::ending::{Ending, Reason};

/// What of a message is not the Arrow message: metadata, descriptor, framing.
pub(crate) const MESSAGE_OVERHEAD_BYTES: u64 = 64 * 1024;

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

    /// The largest BATCH MAX SIZE that a CLIENT emitter may have here.
    pub(crate) fn batch_bytes_max(self) -> u64 {
        (self.0 as u64).saturating_sub(MESSAGE_OVERHEAD_BYTES)
    }
}

/// What an error of the transport means to the peer; nothing where the peer is gone.
pub(crate) fn of_transport(status: &Status, limit: MessageLimit) -> Option<Ending> {
    match status.code() {
        Code::OutOfRange => {
            let text = format!(
                "a message is larger than {} bytes; send smaller batches, or start the worker with a larger \
                 --flight-max-message",
                limit.bytes()
            );
            Some(Ending::new(Reason::TooLarge, text))
        }
        Code::DeadlineExceeded => Some(Ending::new(Reason::MalformedData, status.message())),
        Code::Internal if status.message().contains("decode") => {
            Some(Ending::new(Reason::MalformedData, "a message is no FlightData"))
        }
        _ => None,
    }
}
