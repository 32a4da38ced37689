//! The unanswered batches of a writer: a pure machine.
//!
//! Every batch is in exactly one place: waiting to be sent (lowest number first, so resends go before new batches),
//! delayed until a moment, or sent under a position of the present stream. It leaves once, with its answer. It does not
//! encode, send or wait.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use crate::{backoff::Backoff, pause::Instant};

/// One batch.
#[derive(Debug)]
struct Entry<T> {
    item: T,
    sends: u64,
    backoff: Backoff,
}

/// The batches between their `write` and their answer, by number.
#[derive(Debug)]
pub(super) struct Window<T> {
    entries: BTreeMap<u64, Entry<T>>,
    waiting: BTreeSet<u64>,
    delayed: BTreeSet<(Instant, u64)>,
    sent: BTreeMap<u64, u64>,
    next_position: u64,
    resends: u64,
}

impl<T> Window<T> {
    pub(super) fn new() -> Self {
        Window {
            entries: BTreeMap::new(),
            waiting: BTreeSet::new(),
            delayed: BTreeSet::new(),
            sent: BTreeMap::new(),
            next_position: 0,
            resends: 0,
        }
    }

    pub(super) fn admit(&mut self, number: u64, item: T) {
        self.entries.insert(
            number,
            Entry {
                item,
                sends: 0,
                backoff: Backoff::default(),
            },
        );
        self.waiting.insert(number);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How often a batch was sent again.
    pub(super) fn resends(&self) -> u64 {
        self.resends
    }

    /// When the next delayed batch may go.
    pub(super) fn due(&self) -> Option<Instant> {
        self.delayed.first().map(|(moment, _)| *moment)
    }

    /// Whether [`Window::send`] has something to give at `now`.
    pub(super) fn has_work(&self, now: Instant) -> bool {
        !self.waiting.is_empty() || self.due().is_some_and(|due| due <= now)
    }

    /// The batch to send next; it takes the next position of the stream.
    pub(super) fn send(&mut self, now: Instant) -> Option<&T> {
        while let Some(&(due, number)) = self.delayed.first() {
            if due > now {
                break;
            }
            self.delayed.pop_first();
            self.waiting.insert(number);
        }
        let number = self.waiting.pop_first()?;
        let entry = self.entries.get_mut(&number)?;
        self.resends += u64::from(entry.sends > 0);
        entry.sends += 1;
        self.sent.insert(self.next_position, number);
        self.next_position += 1;
        Some(&entry.item)
    }

    /// Takes out what was sent under `first..=last`: these are answered for good.
    pub(super) fn settle(&mut self, first: u64, last: u64) -> Vec<T> {
        let numbers = self.take_positions(first, last);
        numbers
            .into_iter()
            .filter_map(|number| self.entries.remove(&number))
            .map(|entry| entry.item)
            .collect()
    }

    /// What was sent under `first..=last` goes again, each batch after its own backoff and not before `asked`.
    pub(super) fn delay(&mut self, first: u64, last: u64, asked: Duration, now: Instant) {
        for number in self.take_positions(first, last) {
            if let Some(entry) = self.entries.get_mut(&number) {
                self.delayed.insert((now + entry.backoff.next(asked), number));
            }
        }
    }

    /// The stream is gone: what has no answer counts as unresolved, and positions start at 0 again.
    pub(super) fn break_stream(&mut self) {
        self.waiting.extend(std::mem::take(&mut self.sent).into_values());
        self.next_position = 0;
    }

    /// Everything that is left, in order.
    pub(super) fn drain(&mut self) -> Vec<T> {
        self.waiting.clear();
        self.delayed.clear();
        self.sent.clear();
        std::mem::take(&mut self.entries)
            .into_values()
            .map(|entry| entry.item)
            .collect()
    }

    fn take_positions(&mut self, first: u64, last: u64) -> Vec<u64> {
        if first > last {
            return Vec::new();
        }
        let mut rest = self.sent.split_off(&first);
        let mut after = match last.checked_add(1) {
            Some(next) => rest.split_off(&next),
            None => BTreeMap::new(),
        };
        self.sent.append(&mut after);
        rest.into_values().collect()
    }
}

#[cfg(test)]
mod tests;
