//! What is gathered under keys, such as concrete branches, until it leaves.
//!
//! Invariants: what is gathered under one key leaves together and in order, when its time boundary, counted from its
//! first item, passes, or when its size boundary is reached; keys never mix; a key is forgotten when it leaves. This
//! pure machine knows no clock and no policy.

use std::{
    collections::{BTreeMap, hash_map::Entry},
    hash::Hash,
};

use ahash::AHashMap;

/// Buffers by key. `I` is an instant of whatever clock the boundaries are on.
#[derive(Debug)]
pub struct Gatherings<K, T, I> {
    buffers: AHashMap<K, Buffer<T, I>>,
    /// Time boundaries in order; the number tells apart what is due at one instant.
    timers: BTreeMap<(I, u64), K>,
    opened: u64,
    bytes: u64,
}

#[derive(Debug)]
struct Buffer<T, I> {
    items: Vec<T>,
    bytes: u64,
    timer: (I, u64),
}

impl<K, T, I: Ord> Default for Gatherings<K, T, I> {
    fn default() -> Self {
        Self {
            buffers: AHashMap::new(),
            timers: BTreeMap::new(),
            opened: 0,
            bytes: 0,
        }
    }
}

impl<K: Hash + Eq + Clone, T, I: Copy + Ord> Gatherings<K, T, I> {
    /// Takes an item in; `due` says when its key leaves if this is its first. Gives the items of the key when it
    /// reaches `bytes_max`.
    pub fn push(
        &mut self,
        key: K,
        (item, bytes): (T, u64),
        due: impl FnOnce() -> I,
        bytes_max: Option<u64>,
    ) -> Option<Vec<T>> {
        let buffer = match self.buffers.entry(key.clone()) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let timer = (due(), self.opened);
                self.opened += 1;
                self.timers.insert(timer, key.clone());
                entry.insert(Buffer {
                    items: Vec::new(),
                    bytes: 0,
                    timer,
                })
            }
        };
        buffer.items.push(item);
        buffer.bytes = buffer.bytes.saturating_add(bytes);
        self.bytes = self.bytes.saturating_add(bytes);
        let full = bytes_max.is_some_and(|max| buffer.bytes >= max);
        if full { self.take(&key) } else { None }
    }

    /// The items of `key`, to be rearranged in place.
    pub fn items_mut(&mut self, key: &K) -> Option<&mut Vec<T>> {
        self.buffers.get_mut(key).map(|buffer| &mut buffer.items)
    }

    /// The key whose time boundary passed first, with its items.
    pub fn take_due(&mut self, passed: impl FnOnce(I) -> bool) -> Option<(K, Vec<T>)> {
        let key = self
            .timers
            .first_key_value()
            .filter(|((due, _), _)| passed(*due))?
            .1
            .clone();
        let items = self.take(&key)?;
        Some((key, items))
    }

    /// When the next time boundary passes.
    pub fn next_due(&self) -> Option<I> {
        self.timers.first_key_value().map(|((due, _), _)| *due)
    }

    /// Bytes of all that is gathered, under whatever key.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether nothing is gathered.
    pub fn is_empty(&self) -> bool {
        self.buffers.is_empty()
    }

    fn take(&mut self, key: &K) -> Option<Vec<T>> {
        let buffer = self.buffers.remove(key)?;
        self.timers.remove(&buffer.timer);
        self.bytes = self.bytes.saturating_sub(buffer.bytes);
        Some(buffer.items)
    }
}

#[cfg(test)]
mod tests;
