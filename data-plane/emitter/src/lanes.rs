//! Lanes with work: what waits to be packed, and how many payloads of each are out.
//!
//! Invariants: a lane exists only while something of it waits or is out; what waits keeps its order; lanes that may send
//! take turns, one payload a turn, so that a lane whose window is full stops no other. `T` is what waits. This machine
//! knows no clock and no Arrow.

use std::collections::VecDeque;
use std::hash::Hash;
use std::sync::Arc;

use ahash::AHashMap;
use nervix_sink::{Lane, LaneId};

use crate::window::Window;

/// All lanes of one emitter.
#[derive(Debug)]
pub(crate) struct Lanes<K, T> {
    window: u32,
    next: u64,
    ids: AHashMap<K, LaneId>,
    lanes: AHashMap<LaneId, LaneWork<K, T>>,
    turns: VecDeque<LaneId>,
}

/// One lane.
#[derive(Debug)]
pub(crate) struct LaneWork<K, T> {
    key: K,
    pub(crate) lane: Arc<Lane>,
    pub(crate) waiting: VecDeque<T>,
    window: Window,
    in_turns: bool,
}

impl<K: Hash + Eq + Clone, T> Lanes<K, T> {
    /// Each lane may have `window` payloads out.
    pub(crate) fn new(window: u32) -> Self {
        Self {
            window,
            next: 0,
            ids: AHashMap::new(),
            lanes: AHashMap::new(),
            turns: VecDeque::new(),
        }
    }

    /// Adds work to its lane; `describe` is asked for a lane that did not exist.
    pub(crate) fn push(&mut self, key: K, work: T, describe: impl FnOnce(LaneId) -> Lane) {
        let id = match self.ids.get(&key) {
            Some(id) => *id,
            None => self.open(key, describe),
        };
        if let Some(lane) = self.lanes.get_mut(&id) {
            lane.waiting.push_back(work);
        }
        self.line_up(id);
    }

    /// The lane whose turn it is among those that have room and that `may_send`; it goes to the end of the turns when
    /// its turn is given back.
    pub(crate) fn take_turn(&mut self, may_send: impl Fn(LaneId) -> bool) -> Option<LaneId> {
        while let Some(id) = self.turns.pop_front() {
            let Some(lane) = self.lanes.get_mut(&id) else {
                continue;
            };
            lane.in_turns = false;
            if !lane.waiting.is_empty() && lane.window.has_room() && may_send(id) {
                return Some(id);
            }
        }
        None
    }

    /// A lane that has a turn, or that something concerns.
    pub(crate) fn get_mut(&mut self, id: LaneId) -> Option<&mut LaneWork<K, T>> {
        self.lanes.get_mut(&id)
    }

    /// A payload of the lane goes out.
    pub(crate) fn sent(&mut self, id: LaneId) {
        if let Some(lane) = self.lanes.get_mut(&id) {
            lane.window.enter();
        }
    }

    /// A payload of the lane is delivered or rejected.
    pub(crate) fn resolved(&mut self, id: LaneId) {
        if let Some(lane) = self.lanes.get_mut(&id) {
            lane.window.leave();
        }
        self.give_back(id);
    }

    /// The lane may have become able to send, or idle.
    pub(crate) fn give_back(&mut self, id: LaneId) {
        let idle = self
            .lanes
            .get(&id)
            .is_some_and(|lane| lane.waiting.is_empty() && lane.window.is_empty());
        if !idle {
            return self.line_up(id);
        }
        if let Some(lane) = self.lanes.remove(&id) {
            self.ids.remove(&lane.key);
        }
    }

    /// How many lanes have work.
    pub(crate) fn len(&self) -> usize {
        self.lanes.len()
    }

    /// Whether no lane has work.
    pub(crate) fn is_empty(&self) -> bool {
        self.lanes.is_empty()
    }

    fn open(&mut self, key: K, describe: impl FnOnce(LaneId) -> Lane) -> LaneId {
        let id = LaneId(self.next);
        self.next += 1;
        let work = LaneWork {
            key: key.clone(),
            lane: Arc::new(describe(id)),
            waiting: VecDeque::new(),
            window: Window::new(self.window),
            in_turns: false,
        };
        self.ids.insert(key, id);
        self.lanes.insert(id, work);
        id
    }

    fn line_up(&mut self, id: LaneId) {
        if let Some(lane) = self.lanes.get_mut(&id)
            && !lane.in_turns
            && !lane.waiting.is_empty()
            && lane.window.has_room()
        {
            lane.in_turns = true;
            self.turns.push_back(id);
        }
    }
}

#[cfg(test)]
mod tests;
