//! What an encoder gave, as a driver sees it: something to send, or a failure of this node that is retried like a failed
//! publish (`emitters.txt`, Batch payloads).

use nervix_codec::{Packed, Refused};
use nervix_sink::{Failure, FailureKind};

/// What was packed, never nothing.
///
/// # Errors
/// The failure that has the emitter keep its rows and try again later.
pub(crate) fn encoded(packed: Result<Vec<Packed>, Refused>) -> Result<Vec<Packed>, Failure> {
    match packed {
        Ok(packed) if packed.is_empty() => Err(Failure::new(
            FailureKind::NodeBusy,
            "the codec gave nothing for records that wait",
        )),
        Ok(packed) => Ok(packed),
        Err(Refused { message }) => Err(Failure::new(FailureKind::NodeBusy, message)),
    }
}
