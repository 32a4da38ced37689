//! COLLECT FOR: input collection for each source relay and concrete branch (`emitters.txt`, Branch Semantics).
//!
//! Invariants: what is collected under one key leaves together and in order, when its timer, counted from its first
//! batch, passes, or when its size boundary is reached, whichever comes first; keys never mix; a key is forgotten when
//! it leaves. `I` is an instant of domain time. This machine knows no clock.

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;

use ahash::AHashMap;

/// Collected batches by key.
#[derive(Debug)]
pub(crate) struct Collect<K, T, I> {
    bytes_max: Option<u64>,
    keys: AHashMap<K, Gathering<T, I>>,
    /// Timers in order; the number tells apart what is due at one instant.
    timers: BTreeMap<(I, u64), K>,
    opened: u64,
}

#[derive(Debug)]
struct Gathering<T, I> {
    batches: Vec<T>,
    bytes: u64,
    timer: (I, u64),
}

impl<K: Hash + Eq + Clone, T, I: Copy + Ord> Collect<K, T, I> {
    /// `bytes_max` is the optional size boundary, in logical Arrow bytes.
    pub(crate) fn new(bytes_max: Option<u64>) -> Self {
        Self {
            bytes_max,
            keys: AHashMap::new(),
            timers: BTreeMap::new(),
            opened: 0,
        }
    }

    /// Takes a batch in; `due` is when its key leaves if this is its first. Gives what leaves by size.
    pub(crate) fn push(&mut self, key: K, batch: T, bytes: u64, due: I) -> Option<Vec<T>> {
        let gathering = match self.keys.entry(key.clone()) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let timer = (due, self.opened);
                self.opened += 1;
                self.timers.insert(timer, key.clone());
                entry.insert(Gathering {
                    batches: Vec::new(),
                    bytes: 0,
                    timer,
                })
            }
        };
        gathering.batches.push(batch);
        gathering.bytes = gathering.bytes.saturating_add(bytes);
        if self.bytes_max.is_some_and(|max| gathering.bytes >= max) {
            self.take(&key)
        } else {
            None
        }
    }

    /// What the timers release at `now`, oldest first.
    pub(crate) fn take_due(&mut self, now: I) -> Vec<Vec<T>> {
        let mut released = Vec::new();
        while let Some((&(due, _), key)) = self.timers.first_key_value() {
            if due > now {
                break;
            }
            let key = key.clone();
            released.extend(self.take(&key));
        }
        released
    }

    /// Everything, oldest first: a drain or a kick.
    pub(crate) fn take_all(&mut self) -> Vec<Vec<T>> {
        let keys: Vec<K> = self.timers.values().cloned().collect();
        keys.iter().filter_map(|key| self.take(key)).collect()
    }

    /// When the next timer passes.
    pub(crate) fn next_due(&self) -> Option<I> {
        self.timers.first_key_value().map(|((due, _), _)| *due)
    }

    /// Whether nothing is collected.
    pub(crate) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    fn take(&mut self, key: &K) -> Option<Vec<T>> {
        let gathering = self.keys.remove(key)?;
        self.timers.remove(&gathering.timer);
        Some(gathering.batches)
    }
}

#[cfg(test)]
mod tests;
