//! An encoded payload.
//!
//! Invariant: a payload never changes after it was made, and its bytes are shared, so that a resend is byte for byte
//! what was sent before. It carries no acknowledgement: members stay with the emitter.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use nervix_budget::Held;

use crate::header::Headers;
use crate::lane::Lane;

/// Names a payload over all its attempts; unique across restarts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PayloadId(pub u128);

impl fmt::Display for PayloadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for PayloadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// One external write: the encoding of `rows` members of one lane.
pub struct Payload {
    /// The same over all attempts.
    pub id: PayloadId,
    /// Where its members come from.
    pub lane: Arc<Lane>,
    /// Position among the payloads of the emitter; grows within a lane.
    pub sequence: u64,
    /// Number of members.
    pub rows: u32,
    /// First part of the bytes: the header of an Arrow IPC message; empty where a format has one part only.
    pub head: Bytes,
    /// The rest of the bytes.
    pub body: Bytes,
    /// What its members wrote beside it, the same for all of them; outside of what MAX SIZE counts.
    pub headers: Headers,
    /// The part of the node's byte budget that bytes and headers occupy.
    pub held: Held,
}

impl Payload {
    /// Bytes that BATCH ... MAX SIZE counts: head and body.
    pub fn size_bytes(&self) -> u64 {
        (self.head.len() + self.body.len()) as u64
    }
}

impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Payload")
            .field("id", &self.id)
            .field("lane", &self.lane.id)
            .field("sequence", &self.sequence)
            .field("rows", &self.rows)
            .field("size_bytes", &self.size_bytes())
            .field("headers", &self.headers.len())
            .finish_non_exhaustive()
    }
}
