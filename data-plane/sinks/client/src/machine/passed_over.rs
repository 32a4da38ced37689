//! How long others may pass a payload that no consumer has room for.
//!
//! Invariant: after [`PASSED_OVER_MAX`] payloads have passed it, one consumer is reserved for it: that one is assigned
//! nothing more until it has room, so that what keeps coming cannot keep it full for ever. Reserved is only who would
//! have room without what passed; where it is older deliveries that fill every consumer, waiting would help nobody, and
//! others go on. Pure: who has room is the machine's knowledge.

use nervix_sink::PayloadId;

use crate::consumers::ConsumerId;

/// Payloads that may pass an older one before a consumer is reserved for it.
pub(super) const PASSED_OVER_MAX: u32 = 64;

/// The payload that has the first turn and does not fit anywhere.
#[derive(Debug)]
pub(super) struct PassedOver {
    payload: PayloadId,
    /// Attempts from this number on have passed it.
    since: u64,
    passed: u32,
    reserved: Option<ConsumerId>,
}

impl PassedOver {
    /// `upcoming` is the number of the next attempt.
    pub(super) fn new(payload: PayloadId, upcoming: u64) -> Self {
        Self {
            payload,
            since: upcoming,
            passed: 0,
            reserved: None,
        }
    }

    pub(super) fn is_of(&self, payload: PayloadId) -> bool {
        self.payload == payload
    }

    /// Another payload has passed it.
    pub(super) fn pass(&mut self) {
        self.passed += 1;
    }

    /// Who is reserved for it now. `find` looks for a consumer that had room without the attempts from a number on; it
    /// is asked only once for each [`PASSED_OVER_MAX`] payloads while there is none.
    pub(super) fn reserve(
        &mut self,
        eligible: impl Fn(ConsumerId) -> bool,
        find: impl FnOnce(u64) -> Option<ConsumerId>,
    ) -> Option<ConsumerId> {
        if self.passed < PASSED_OVER_MAX {
            return None;
        }
        self.reserved = self
            .reserved
            .filter(|id| eligible(*id))
            .or_else(|| find(self.since));
        if self.reserved.is_none() {
            self.passed = 0;
        }
        self.reserved
    }
}
