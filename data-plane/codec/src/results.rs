//! What one call has made, and whether that is enough.

use nspl_model::BatchLimits;

use crate::encode::Packed;

/// A call makes no further payload when it has made so many bytes: whoever called it has others to serve. Fewer would cost
/// more: each call judges up to MAX MESSAGES records before it encodes the first.
const CALL_BYTES_ENOUGH: u64 = 4 << 20;

/// Or so many payloads of MAX SIZE, where those are more: members that were encoded for a payload which is not made are
/// encoded again.
const CALL_PAYLOADS_ENOUGH: u64 = 4;

/// When a call has made enough; one result is always made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Enough {
    /// So many results at most.
    pub(crate) payloads: usize,
    /// None behind the one that reaches so many bytes.
    pub(crate) bytes: u64,
}

impl Enough {
    /// For a call on the node itself.
    pub(crate) fn of_call(payloads: usize, limits: Option<BatchLimits>) -> Self {
        let largest = limits.map_or(0, |limits| limits.max_bytes);
        Self {
            payloads,
            bytes: CALL_BYTES_ENOUGH.max(largest.saturating_mul(CALL_PAYLOADS_ENOUGH)),
        }
    }
}

/// Results in order.
#[derive(Debug)]
pub(crate) struct Results {
    enough: Enough,
    made: Vec<Packed>,
    bytes: u64,
}

impl Results {
    pub(crate) fn new(enough: Enough) -> Self {
        Self {
            enough,
            made: Vec::new(),
            bytes: 0,
        }
    }

    pub(crate) fn push(&mut self, packed: Packed) {
        if let Packed::Payload { bytes, .. } = &packed {
            self.bytes += bytes.len() as u64;
        }
        self.made.push(packed);
    }

    /// Whether another result is to be made.
    pub(crate) fn wants_more(&self) -> bool {
        self.made.len() < self.enough.payloads.max(1) && self.bytes < self.enough.bytes
    }

    pub(crate) fn into_made(self) -> Vec<Packed> {
        self.made
    }
}
