//! How long others may pass a payload that no consumer has room for.
//!
//! Invariant: after [`PASSED_OVER_MAX`] payloads have passed it, one consumer is reserved for it: others pass it there one
//! at a time, the next when the last has ended, so that what keeps coming cannot keep the consumer full for ever, and only
//! of lanes that the consumer holds nothing of, so that one which sits on a lane lets the others pass. Reserved is only who
//! would have room without what passed. Where older deliveries fill every consumer, waiting would help nobody, and others
//! go on; so they do once [`PASSED_OVER_MAX`] more have come and gone and the reserved consumer still sits on what it had:
//! that counts as older then. A consumer that sits on what was let past as well gets nothing more until that has ended, by
//! ACK TIMEOUT at the latest. Pure: who has room is the machine's knowledge.

use nervix_sink::PayloadId;

use crate::consumers::ConsumerId;

/// Payloads that may pass an older one before a consumer is reserved for it, and again one at a time before that
/// reservation ends.
pub(super) const PASSED_OVER_MAX: u32 = 64;

/// The payload that has the first turn and does not fit anywhere.
#[derive(Debug)]
pub(super) struct PassedOver {
    payload: PayloadId,
    /// Attempts from this number on have passed it.
    since: u64,
    passed: u32,
    reserved: Option<Reserved>,
}

#[derive(Debug)]
struct Reserved {
    consumer: ConsumerId,
    /// Attempts from this number on were assigned to it in spite of the reservation.
    since: u64,
    passed: u32,
}

/// A consumer that is not assigned everything that it has room for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Withheld {
    pub(super) consumer: ConsumerId,
    /// Payloads of lanes that it holds nothing of are assigned to it all the same.
    other_lanes: bool,
}

impl Withheld {
    /// Who must not be assigned a payload of a lane; `holds_of` says whether a consumer holds something of that lane.
    pub(super) fn from(self, holds_of: impl FnOnce(ConsumerId) -> bool) -> Option<ConsumerId> {
        (self.is_barred() || holds_of(self.consumer)).then_some(self.consumer)
    }

    /// Whether it is assigned nothing at all.
    pub(super) fn is_barred(self) -> bool {
        !self.other_lanes
    }
}

/// What a machine knows of its consumers.
pub(super) trait Room {
    /// Whether the consumer may be assigned anything at all.
    fn is_eligible(&self, consumer: ConsumerId) -> bool;
    /// Whether the consumer holds an attempt from this number on.
    fn holds_since(&self, consumer: ConsumerId, since: u64) -> bool;
    /// A consumer that had room for the payload without the attempts from this number on.
    fn find_without(&self, since: u64) -> Option<ConsumerId>;
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

    /// Another payload has passed it, on its way to this consumer.
    pub(super) fn pass(&mut self, to: ConsumerId) {
        self.passed = self.passed.saturating_add(1);
        if let Some(reserved) = &mut self.reserved
            && reserved.consumer == to
        {
            reserved.passed += 1;
        }
    }

    /// Who is not assigned everything now; `upcoming` is the number of the next attempt. A consumer to reserve is looked
    /// for only once for each [`PASSED_OVER_MAX`] payloads while there is none.
    pub(super) fn withhold(&mut self, upcoming: u64, room: &impl Room) -> Option<Withheld> {
        if self.passed < PASSED_OVER_MAX {
            return None;
        }
        if let Some(reserved) = &self.reserved {
            let consumer = reserved.consumer;
            let withheld = |other_lanes| {
                Some(Withheld {
                    consumer,
                    other_lanes,
                })
            };
            if room.holds_since(consumer, reserved.since) {
                return withheld(false);
            }
            if reserved.passed >= PASSED_OVER_MAX {
                *self = Self::new(self.payload, upcoming);
                return None;
            }
            // What passed may have taken its last credit; it is about to grant more.
            let waits = reserved.passed > 0 && self.passed < 2 * PASSED_OVER_MAX;
            if waits || room.is_eligible(consumer) {
                return withheld(true);
            }
        }
        self.reserved = room.find_without(self.since).map(|consumer| Reserved {
            consumer,
            since: upcoming,
            passed: 0,
        });
        let Some(reserved) = &self.reserved else {
            self.passed = 0;
            return None;
        };
        Some(Withheld {
            consumer: reserved.consumer,
            other_lanes: true,
        })
    }
}
