//! Retained payloads: everything that is out or waits to be sent again (`emitters.txt`, Batch payloads).
//!
//! Invariants: a payload is retained exactly as it was written until it is delivered or rejected; what waits out its
//! backoff is given back once, and within a lane in the order of sequences, so that nothing newer of a lane is sent
//! again before it. `I` is an instant of the physical clock. This machine knows no clock.

use std::collections::{BTreeMap, BTreeSet};

use ahash::AHashMap;
use nervix_sink::{LaneId, PayloadId};

/// Retained payloads with what belongs to them.
#[derive(Debug)]
pub(crate) struct Retained<V, I> {
    payloads: AHashMap<PayloadId, Entry<V>>,
    /// Payloads that wait, by lane and sequence.
    waiting: AHashMap<LaneId, BTreeMap<u64, (I, PayloadId)>>,
    /// For each lane that waits, when its oldest waiting payload may go.
    due: BTreeSet<(I, LaneId)>,
}

#[derive(Debug)]
struct Entry<V> {
    lane: LaneId,
    sequence: u64,
    waits: bool,
    value: V,
}

impl<V, I: Copy + Ord> Default for Retained<V, I> {
    fn default() -> Self {
        Self {
            payloads: AHashMap::new(),
            waiting: AHashMap::new(),
            due: BTreeSet::new(),
        }
    }
}

impl<V, I: Copy + Ord> Retained<V, I> {
    /// Retains a payload that goes out.
    pub(crate) fn retain(&mut self, id: PayloadId, lane: LaneId, sequence: u64, value: V) {
        self.payloads.insert(
            id,
            Entry {
                lane,
                sequence,
                waits: false,
                value,
            },
        );
    }

    /// The payload came back unresolved and waits until `due`. False when it is not retained or waits already.
    pub(crate) fn fail(&mut self, id: PayloadId, due: I) -> bool {
        let Some(entry) = self.payloads.get_mut(&id) else {
            return false;
        };
        if std::mem::replace(&mut entry.waits, true) {
            return false;
        }
        let (lane, sequence) = (entry.lane, entry.sequence);
        self.unlist(lane);
        self.waiting.entry(lane).or_default().insert(sequence, (due, id));
        self.list(lane);
        true
    }

    /// The payloads whose wait is over at `now`: they go out again.
    pub(crate) fn take_due(&mut self, now: I) -> Vec<PayloadId> {
        let mut taken = Vec::new();
        while let Some((due, lane)) = self.due.first().copied() {
            if due > now {
                break;
            }
            self.unlist(lane);
            let first = self.waiting.get_mut(&lane).and_then(BTreeMap::pop_first);
            self.list(lane);
            let Some((_, (_, id))) = first else { break };
            if let Some(entry) = self.payloads.get_mut(&id) {
                entry.waits = false;
            }
            taken.push(id);
        }
        taken
    }

    /// When the next wait is over.
    pub(crate) fn next_due(&self) -> Option<I> {
        self.due.first().map(|(due, _)| *due)
    }

    /// Whether a payload of the lane waits: nothing newer of it goes out meanwhile.
    pub(crate) fn waits(&self, lane: LaneId) -> bool {
        self.waiting.contains_key(&lane)
    }

    /// What belongs to a retained payload.
    pub(crate) fn get_mut(&mut self, id: PayloadId) -> Option<&mut V> {
        self.payloads.get_mut(&id).map(|entry| &mut entry.value)
    }

    /// The payload is delivered or rejected.
    pub(crate) fn resolve(&mut self, id: PayloadId) -> Option<V> {
        let entry = self.payloads.remove(&id)?;
        if entry.waits {
            self.unlist(entry.lane);
            if let Some(waiting) = self.waiting.get_mut(&entry.lane) {
                waiting.remove(&entry.sequence);
            }
            self.list(entry.lane);
        }
        Some(entry.value)
    }

    /// How many payloads are retained.
    pub(crate) fn len(&self) -> usize {
        self.payloads.len()
    }

    /// How many of them wait.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.values().map(BTreeMap::len).sum()
    }

    fn unlist(&mut self, lane: LaneId) {
        if let Some((due, _)) = self
            .waiting
            .get(&lane)
            .and_then(|waiting| waiting.values().next())
        {
            self.due.remove(&(*due, lane));
        }
    }

    fn list(&mut self, lane: LaneId) {
        match self
            .waiting
            .get(&lane)
            .map(|waiting| waiting.values().next().copied())
        {
            Some(Some((due, _))) => {
                self.due.insert((due, lane));
            }
            Some(None) => {
                self.waiting.remove(&lane);
            }
            None => {}
        }
    }
}

#[cfg(test)]
mod tests;
