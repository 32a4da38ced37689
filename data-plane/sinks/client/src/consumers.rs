//! Consumers of one emitter: credit, turns, what each holds, what each has yet to read.
//!
//! Invariant: a consumer is assigned a payload only while it has credit, is not suspended, has not closed its side, and
//! the bytes that it holds stay within the bound; a single larger payload is assigned to one that holds nothing. Bytes
//! count from the assignment until the delivery is both answered and read, so credit without reading is bounded too.

use std::collections::{BTreeSet, VecDeque, hash_map::Entry};

use ahash::AHashMap;
use nervix_sink::LaneId;

use crate::event::SessionEvent;

/// Names a consumer within one exchange; never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ConsumerId(pub(crate) u64);

/// One open stream.
#[derive(Debug)]
pub(crate) struct Consumer {
    pub(crate) credit: u32,
    pub(crate) suspended: bool,
    pub(crate) forwarded: bool,
    /// The application, or the server, has closed this stream; only its outbox is left.
    pub(crate) closing: bool,
    pub(crate) held_bytes: u64,
    /// Attempts that it holds, in the order of their assignment.
    pub(crate) live: BTreeSet<u64>,
    /// The lanes of those attempts, each with how many are of it.
    lanes: AHashMap<LaneId, usize>,
    /// What became of attempts that it has read; read before anything of `outbox`, since whoever waits for room to
    /// answer frees it by reading, and may read one delivery for each answer.
    pub(crate) fates: VecDeque<SessionEvent>,
    pub(crate) outbox: VecDeque<Outgoing>,
    in_turns: bool,
}

/// An event with the attempt that it delivers, if it does.
#[derive(Debug)]
pub(crate) struct Outgoing {
    pub(crate) delivers: Option<u64>,
    pub(crate) event: SessionEvent,
}

impl Consumer {
    fn eligible(&self) -> bool {
        self.credit > 0 && !self.suspended && !self.closing
    }

    /// The largest payload in bytes that it may take now.
    fn room(&self, bytes_max: u64) -> u64 {
        match self.held_bytes {
            0 => u64::MAX,
            held => bytes_max.saturating_sub(held),
        }
    }

    /// An attempt of `lane` was assigned to it.
    pub(crate) fn take_in(&mut self, number: u64, lane: LaneId) {
        if self.live.insert(number) {
            *self.lanes.entry(lane).or_default() += 1;
        }
    }

    /// An attempt of `lane` has ended.
    pub(crate) fn give_back(&mut self, number: u64, lane: LaneId) {
        if !self.live.remove(&number) {
            return;
        }
        if let Entry::Occupied(mut held) = self.lanes.entry(lane) {
            *held.get_mut() -= 1;
            if *held.get() == 0 {
                held.remove();
            }
        }
    }
}

/// All consumers of one exchange.
#[derive(Debug)]
pub(crate) struct Consumers {
    bytes_max: u64,
    next: u64,
    consumers: AHashMap<ConsumerId, Consumer>,
    turns: VecDeque<ConsumerId>,
}

impl Consumers {
    pub(crate) fn new(bytes_max: u64) -> Self {
        Self {
            bytes_max,
            next: 0,
            consumers: AHashMap::new(),
            turns: VecDeque::new(),
        }
    }

    pub(crate) fn connect(&mut self, forwarded: bool) -> ConsumerId {
        let id = ConsumerId(self.next);
        self.next += 1;
        let consumer = Consumer {
            credit: 0,
            suspended: false,
            forwarded,
            closing: false,
            held_bytes: 0,
            live: BTreeSet::new(),
            lanes: AHashMap::new(),
            fates: VecDeque::new(),
            outbox: VecDeque::new(),
            in_turns: false,
        };
        self.consumers.insert(id, consumer);
        id
    }

    pub(crate) fn get_mut(&mut self, id: ConsumerId) -> Option<&mut Consumer> {
        self.consumers.get_mut(&id)
    }

    pub(crate) fn remove(&mut self, id: ConsumerId) -> Option<Consumer> {
        self.consumers.remove(&id)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Consumer> {
        self.consumers.values()
    }

    pub(crate) fn ids(&self) -> Vec<ConsumerId> {
        self.consumers.keys().copied().collect()
    }

    /// A message of the consumer came: it is not suspended any more.
    pub(crate) fn heard(&mut self, id: ConsumerId) {
        if let Some(consumer) = self.consumers.get_mut(&id) {
            consumer.suspended = false;
        }
        self.line_up(id);
    }

    /// Adds credit; sums saturate.
    pub(crate) fn grant(&mut self, id: ConsumerId, batches: u32) {
        if let Some(consumer) = self.consumers.get_mut(&id) {
            consumer.credit = consumer.credit.saturating_add(batches);
        }
        self.heard(id);
    }

    /// The largest payload in bytes that any consumer but `withheld` may take now; nothing when none may take any.
    pub(crate) fn room(&self, withheld: Option<ConsumerId>) -> Option<u64> {
        let eligible = self.eligible().filter(|(id, _)| Some(*id) != withheld);
        eligible.map(|(_, consumer)| consumer.room(self.bytes_max)).max()
    }

    /// The consumer, first in the order of turns, that could take `bytes` more if it held so many bytes less as `less`
    /// says of it.
    pub(crate) fn with_room(&self, bytes: u64, less: impl Fn(&Consumer) -> u64) -> Option<ConsumerId> {
        let mut eligible = self.eligible();
        let found = eligible.find(|(_, consumer)| {
            let held = consumer.held_bytes.saturating_sub(less(consumer));
            held == 0 || bytes <= self.bytes_max.saturating_sub(held)
        });
        found.map(|(id, _)| id)
    }

    /// Whether the consumer may be assigned anything at all.
    pub(crate) fn is_eligible(&self, id: ConsumerId) -> bool {
        self.consumers.get(&id).is_some_and(Consumer::eligible)
    }

    /// Whether the consumer holds an attempt from this number on.
    pub(crate) fn holds_since(&self, id: ConsumerId, since: u64) -> bool {
        let consumer = self.consumers.get(&id);
        consumer.is_some_and(|consumer| consumer.live.range(since..).next().is_some())
    }

    /// Whether the consumer holds an attempt of this lane.
    pub(crate) fn holds_of(&self, id: ConsumerId, lane: LaneId) -> bool {
        let consumer = self.consumers.get(&id);
        consumer.is_some_and(|consumer| consumer.lanes.contains_key(&lane))
    }

    fn eligible(&self) -> impl Iterator<Item = (ConsumerId, &Consumer)> {
        let in_turns = self
            .turns
            .iter()
            .filter_map(|id| Some((*id, self.consumers.get(id)?)));
        in_turns.filter(|(_, consumer)| consumer.eligible())
    }

    /// The consumer whose turn it is among those but `withheld` that may take `bytes` more; it goes to the end of the
    /// turns.
    pub(crate) fn take_turn(&mut self, bytes: u64, withheld: Option<ConsumerId>) -> Option<ConsumerId> {
        let mut looks = self.turns.len();
        while looks > 0 {
            looks -= 1;
            let id = self.turns.pop_front()?;
            let Some(consumer) = self.consumers.get_mut(&id) else {
                continue;
            };
            if !consumer.eligible() {
                consumer.in_turns = false;
                continue;
            }
            let room = consumer.room(self.bytes_max);
            self.turns.push_back(id);
            if bytes <= room && Some(id) != withheld {
                return Some(id);
            }
        }
        None
    }

    fn line_up(&mut self, id: ConsumerId) {
        if let Some(consumer) = self.consumers.get_mut(&id)
            && !consumer.in_turns
            && consumer.eligible()
        {
            consumer.in_turns = true;
            self.turns.push_back(id);
        }
    }
}
