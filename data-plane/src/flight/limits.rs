//! The bound of whole gRPC messages (`--flight-max-message`, flight.md "Ends and limits").

use nervix_listener::unreadable;
use tonic::{Code, Status};

use super::ending::{Ending, Reason};

/// What of a message is not the Arrow message: metadata, descriptor, framing.
pub(crate) const MESSAGE_OVERHEAD_BYTES: u64 = 64 * 1024;

/// The message that names what a call is about.
const DESCRIPTOR: &str = "FlightDescriptor.";

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
        Code::DeadlineExceeded => Some(Ending::new(Reason::MalformedData, status.message())),
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
