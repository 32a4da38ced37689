//! Offered payloads that no consumer holds, by lane.
//!
//! Invariant: payloads of a lane leave in the order of their sequence, and none leaves while an older payload of its
//! lane is away with the emitter, waiting out its backoff. Lanes with something to assign take turns; a lane whose
//! payload nobody has room for is passed over and keeps its turn. A lane is forgotten with its last payload.

use std::collections::{BTreeSet, VecDeque};

use ahash::AHashMap;
use nervix_sink::{LaneId, Offer, PayloadId};

/// The lanes of one exchange.
#[derive(Debug, Default)]
pub(crate) struct Lanes {
    lanes: AHashMap<LaneId, LaneQueue>,
    turns: VecDeque<LaneId>,
    unassigned: usize,
    /// No payload that could leave now is smaller, in bytes: with less room than this there is nothing to look for.
    smallest: u64,
}

/// A payload that may leave next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Turn {
    place: usize,
    pub(crate) lane: LaneId,
    pub(crate) bytes: u64,
}

#[derive(Debug, Default)]
struct LaneQueue {
    /// Ordered by sequence.
    waiting: VecDeque<Offer>,
    /// Sequences of unresolved payloads that the emitter has not offered again.
    away: BTreeSet<u64>,
    in_turns: bool,
}

impl LaneQueue {
    fn ready(&self) -> bool {
        match (self.waiting.front(), self.away.first()) {
            (Some(front), Some(away)) => front.payload.sequence < *away,
            (front, _) => front.is_some(),
        }
    }

    fn front_bytes(&self) -> u64 {
        self.waiting.front().map_or(0, |offer| offer.payload.size_bytes())
    }
}

impl Lanes {
    /// Takes an offer in, in its place.
    pub(crate) fn offer(&mut self, offer: Offer) {
        let id = offer.payload.lane.id;
        let sequence = offer.payload.sequence;
        self.smallest = self.smallest.min(offer.payload.size_bytes());
        let lane = self.lanes.entry(id).or_default();
        lane.away.remove(&sequence);
        let place = lane
            .waiting
            .partition_point(|waiting| waiting.payload.sequence < sequence);
        lane.waiting.insert(place, offer);
        self.unassigned += 1;
        self.line_up(id);
    }

    /// A payload of the lane came back unresolved: nothing newer leaves until it is offered again.
    pub(crate) fn sent_away(&mut self, lane: LaneId, sequence: u64) {
        self.lanes.entry(lane).or_default().away.insert(sequence);
    }

    /// The first payload, in the order of turns.
    pub(crate) fn first(&mut self) -> Option<Turn> {
        self.first_within(u64::MAX, |_| Some(u64::MAX))
    }

    /// The first payload, in the order of turns, of at most as many bytes as there is room for its lane, which is `most`
    /// at the most. Looks at each lane with work once at most.
    pub(crate) fn first_within(&mut self, most: u64, room: impl Fn(LaneId) -> Option<u64>) -> Option<Turn> {
        if most < self.smallest {
            return None;
        }
        let mut smallest = u64::MAX;
        let mut place = 0;
        while let Some(id) = self.turns.get(place).copied() {
            match self.lanes.get_mut(&id) {
                Some(lane) if lane.ready() => {
                    let bytes = lane.front_bytes();
                    if room(id).is_some_and(|room| bytes <= room) {
                        return Some(Turn {
                            place,
                            lane: id,
                            bytes,
                        });
                    }
                    smallest = smallest.min(bytes);
                    place += 1;
                    continue;
                }
                Some(lane) => lane.in_turns = false,
                None => {}
            }
            self.turns.remove(place);
            self.forget_if_idle(id);
        }
        self.smallest = smallest;
        None
    }

    /// The payload of a turn that [`Lanes::first_within`] has just shown.
    pub(crate) fn payload(&self, turn: Turn) -> Option<PayloadId> {
        let lane = self.lanes.get(self.turns.get(turn.place)?)?;
        lane.waiting.front().map(|offer| offer.payload.id)
    }

    /// Takes what [`Lanes::first_within`] has just shown; its lane goes to the end of the turns.
    pub(crate) fn take(&mut self, turn: Turn) -> Option<Offer> {
        let id = self.turns.remove(turn.place)?;
        let lane = self.lanes.get_mut(&id)?;
        lane.in_turns = false;
        let offer = lane.waiting.pop_front()?;
        self.unassigned -= 1;
        self.line_up(id);
        self.forget_if_idle(id);
        Some(offer)
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Payloads that wait for a consumer.
    pub(crate) fn unassigned(&self) -> usize {
        self.unassigned
    }

    fn line_up(&mut self, id: LaneId) {
        if let Some(lane) = self.lanes.get_mut(&id)
            && !lane.in_turns
            && lane.ready()
        {
            lane.in_turns = true;
            self.smallest = self.smallest.min(lane.front_bytes());
            self.turns.push_back(id);
        }
    }

    fn forget_if_idle(&mut self, id: LaneId) {
        if self
            .lanes
            .get(&id)
            .is_some_and(|lane| lane.waiting.is_empty() && lane.away.is_empty())
        {
            self.lanes.remove(&id);
        }
    }
}
