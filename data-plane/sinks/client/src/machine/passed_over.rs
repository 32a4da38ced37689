//! How long others may pass a payload that no consumer has room for.
//!
//! Invariant: after [`PASSED_OVER_MAX`] payloads have passed it, one consumer is reserved for it: others pass it there one
//! at a time, the next when the last has ended, so that what keeps coming cannot keep the consumer full for ever, and only
//! of lanes that the consumer holds nothing of, so that one which sits on a lane lets the others pass. Reserved is only who
//! would have room without what passed. Where older deliveries fill every consumer, waiting would help nobody, and others
//! go on; so they do once [`PASSED_OVER_MAX`] more have come and gone and the reserved consumer still sits on what it had:
//! that counts as older then. What was let past is waited for with patience: [`PATIENCE_MIN`] at first, and twice as long
//! with each further reservation for the same payload, so that a consumer which is slow is waited for in the end. One that
//! still sits on it is let go, and what it sits on counts as older; so whatever a consumer sits on, of whichever lanes, the
//! others go on, held up once for each lane that it comes to sit on. Pure: who has room is the machine's knowledge, and the
//! time is told.

use std::time::Duration;

use nervix_sink::PayloadId;

use crate::consumers::ConsumerId;

/// Payloads that may pass an older one before a consumer is reserved for it, and again one at a time before that
/// reservation ends.
pub(super) const PASSED_OVER_MAX: u32 = 64;

/// How long what was let past a reservation is waited for at first, physical time.
const PATIENCE_MIN: Duration = Duration::from_millis(100);

/// The payload that has the first turn and does not fit anywhere; `I` is an instant of the physical clock.
#[derive(Debug)]
pub(super) struct PassedOver<I> {
    payload: PayloadId,
    /// Attempts from this number on have passed it.
    since: u64,
    passed: u32,
    reserved: Option<Reserved<I>>,
    patience: Duration,
}

#[derive(Debug)]
struct Reserved<I> {
    consumer: ConsumerId,
    /// Attempts from this number on were assigned to it in spite of the reservation.
    since: u64,
    passed: u32,
    /// Until when the last of those attempts is waited for, while it is.
    until: Option<I>,
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

impl<I: Copy + Ord> PassedOver<I> {
    /// `upcoming` is the number of the next attempt.
    pub(super) fn new(payload: PayloadId, upcoming: u64) -> Self {
        Self {
            payload,
            since: upcoming,
            passed: 0,
            reserved: None,
            patience: PATIENCE_MIN,
        }
    }

    /// When the patience with what was let past is over.
    pub(super) fn until(&self) -> Option<I> {
        self.reserved.as_ref()?.until
    }

    /// Ends a reservation whose patience is over at `now`; `upcoming` is the number of the next attempt.
    pub(super) fn let_go(&mut self, now: I, upcoming: u64) {
        if self.until().is_some_and(|until| until <= now) {
            *self = Self {
                patience: self.patience.saturating_mul(2),
                ..Self::new(self.payload, upcoming)
            };
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

    /// Who is not assigned everything now; `upcoming` is the number of the next attempt, and `after` tells instants from
    /// now on. A consumer to reserve is looked for only once for each [`PASSED_OVER_MAX`] payloads while there is none.
    pub(super) fn withhold(
        &mut self,
        upcoming: u64,
        room: &impl Room,
        after: impl FnOnce(Duration) -> I,
    ) -> Option<Withheld> {
        if self.passed < PASSED_OVER_MAX {
            return None;
        }
        if let Some(reserved) = &mut self.reserved {
            let consumer = reserved.consumer;
            let withheld = |other_lanes| {
                Some(Withheld {
                    consumer,
                    other_lanes,
                })
            };
            if room.holds_since(consumer, reserved.since) {
                reserved.until.get_or_insert_with(|| after(self.patience));
                return withheld(false);
            }
            reserved.until = None;
            if reserved.passed >= PASSED_OVER_MAX {
                *self = Self {
                    patience: self.patience,
                    ..Self::new(self.payload, upcoming)
                };
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
            until: None,
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
