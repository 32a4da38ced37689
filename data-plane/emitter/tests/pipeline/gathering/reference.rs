//! The model: lists of what is gathered, looked through again and again, written from the specification alone.

use std::collections::BTreeMap;

/// A source relay and the key of a concrete branch of it.
pub(super) type Place = (usize, Option<usize>);

/// The rows of one write.
#[derive(Debug, Clone)]
pub(super) struct Item {
    place: Place,
    ids: Vec<i64>,
    bytes: u64,
}

impl Item {
    /// Rows that all have this name. Their logical bytes are those of `id I64, name STRING`: 8 of each id, the text of
    /// each name, an offset of 4 of each name and one more; nothing is null, so there is no validity.
    pub(super) fn new(place: Place, ids: Vec<i64>, name: &str) -> Self {
        let rows = ids.len() as u64;
        Self {
            place,
            bytes: rows * (8 + name.len() as u64 + 4) + 4,
            ids,
        }
    }
}

/// A time boundary from the first row, and a size boundary.
#[derive(Debug, Clone, Copy)]
pub(super) struct Policy {
    /// Nanoseconds of physical time.
    pub(super) each: u64,
    pub(super) bytes_max: Option<u64>,
}

impl Policy {
    /// FLUSH IMMEDIATE: 100 us and no size boundary, in every domain.
    pub(super) const IMMEDIATE: Self = Self {
        each: 100_000,
        bytes_max: None,
    };
}

/// What is gathered from its first row on.
#[derive(Debug)]
struct Gathering {
    due: u64,
    items: Vec<Item>,
}

impl Gathering {
    fn is_full(&self, policy: Policy) -> bool {
        let bytes: u64 = self.items.iter().map(|item| item.bytes).sum();
        policy.bytes_max.is_some_and(|max| bytes >= max)
    }
}

/// An emitter as it is specified.
#[derive(Debug)]
pub(super) struct Reference {
    collect: Option<Policy>,
    flush: Policy,
    collected: Vec<Gathering>,
    buffered: Option<Gathering>,
    /// The ids that left at each moment, of each source and concrete branch.
    pub(super) left: BTreeMap<(u64, Place), Vec<i64>>,
}

impl Reference {
    pub(super) fn new(collect: Option<Policy>, flush: Policy) -> Self {
        Self {
            collect,
            flush,
            collected: Vec::new(),
            buffered: None,
            left: BTreeMap::new(),
        }
    }

    /// Lets every boundary pass up to a moment, each at its own.
    pub(super) fn until(&mut self, moment: u64) {
        loop {
            let collected = self.collected.iter().map(|gathering| gathering.due);
            let buffered = self.buffered.iter().map(|gathering| gathering.due);
            let Some(due) = collected.chain(buffered).min().filter(|due| *due <= moment) else {
                return;
            };
            match self.collected.iter().position(|gathering| gathering.due == due) {
                Some(index) => self.release(index, due),
                None => self.kick(due),
            }
        }
    }

    /// Takes a write in.
    pub(super) fn write(&mut self, now: u64, item: Item) {
        let Some(policy) = self.collect else {
            return self.buffer(now, item);
        };
        let same = |gathering: &Gathering| gathering.items[0].place == item.place;
        let index = match self.collected.iter().position(same) {
            Some(index) => {
                self.collected[index].items.push(item);
                index
            }
            None => {
                self.collected.push(Gathering {
                    due: now + policy.each,
                    items: vec![item],
                });
                self.collected.len() - 1
            }
        };
        if self.collected[index].is_full(policy) {
            self.release(index, now);
        }
    }

    /// What is buffered leaves, apart by source and concrete branch, its rows in the order of arrival.
    pub(super) fn kick(&mut self, now: u64) {
        let buffered = self.buffered.take().into_iter();
        for item in buffered.flat_map(|gathering| gathering.items) {
            self.left.entry((now, item.place)).or_default().extend(item.ids);
        }
    }

    fn release(&mut self, index: usize, now: u64) {
        for item in self.collected.remove(index).items {
            self.buffer(now, item);
        }
    }

    fn buffer(&mut self, now: u64, item: Item) {
        let due = now + self.flush.each;
        let buffered = self.buffered.get_or_insert(Gathering {
            due,
            items: Vec::new(),
        });
        buffered.items.push(item);
        if buffered.is_full(self.flush) {
            self.kick(now);
        }
    }
}
