//! The statuses of positions whose answers have lost their words, two bits each.
//!
//! Invariant: a position keeps the status that it was given. Memory: [`BLOCK_BYTES`] and a map entry for each block of
//! [`BLOCK_POSITIONS`] positions that holds at least one; a block is forgotten with its last position. Whether a
//! position may be given is the ledger's business.

use std::collections::BTreeMap;

use super::Status;

/// Positions of one block.
const BLOCK_POSITIONS: u64 = 1024;
const WORD_POSITIONS: u64 = 32;
const BLOCK_WORDS: usize = (BLOCK_POSITIONS / WORD_POSITIONS) as usize;
/// Bytes of one block.
#[cfg(test)]
pub(super) const BLOCK_BYTES: usize = BLOCK_WORDS * 8;
const MARK: u64 = 0b11;
/// A one in each position of a word.
const EACH_POSITION: u64 = u64::MAX / MARK;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Statuses {
    blocks: BTreeMap<u64, [u64; BLOCK_WORDS]>,
}

impl Statuses {
    /// Notes `status` for the positions from `first` to `last`, both inclusive.
    pub(super) fn insert(&mut self, first: u64, last: u64, status: Status) {
        let mut next = first;
        while next <= last {
            let (block, index, offset) = place(next);
            let count = (last - next + 1).min(WORD_POSITIONS - offset);
            let words = self.blocks.entry(block).or_insert([0; BLOCK_WORDS]);
            if let Some(word) = words.get_mut(index) {
                let mask = mask(offset, count);
                *word = (*word & !mask) | (pattern(status) & mask);
            }
            next += count;
        }
    }

    /// The lowest position.
    pub(super) fn first(&self) -> Option<u64> {
        let (block, words) = self.blocks.first_key_value()?;
        let (index, word) = words.iter().enumerate().find(|(_, word)| **word != 0)?;
        let within = u64::from(word.trailing_zeros()) / 2;
        Some(block * BLOCK_POSITIONS + index as u64 * WORD_POSITIONS + within)
    }

    /// Takes the lowest positions that follow one another with one status.
    pub(super) fn take(&mut self) -> Option<(u64, u64, Status)> {
        let first = self.first()?;
        let (block, index, offset) = place(first);
        let status = status_of((self.blocks.get(&block)?.get(index)? >> (2 * offset)) & MARK)?;
        let mut next = first;
        loop {
            let count = self.remove(next, status);
            next += count;
            if count == 0 || next % WORD_POSITIONS != 0 {
                return Some((first, next - 1, status));
            }
        }
    }

    /// Removes what has `status` from `position` on, at most up to the end of its word, and counts it.
    fn remove(&mut self, position: u64, status: Status) -> u64 {
        let (block, index, offset) = place(position);
        let Some(words) = self.blocks.get_mut(&block) else {
            return 0;
        };
        let Some(word) = words.get_mut(index) else {
            return 0;
        };
        let differs = (*word ^ pattern(status)) >> (2 * offset);
        let count = u64::from(differs.trailing_zeros() / 2).min(WORD_POSITIONS - offset);
        *word &= !mask(offset, count);
        if words.iter().all(|word| *word == 0) {
            self.blocks.remove(&block);
        }
        count
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.blocks.len() * BLOCK_BYTES
    }
}

/// The block of a position, its word there, and its place in that word.
fn place(position: u64) -> (u64, usize, u64) {
    let within = position % BLOCK_POSITIONS;
    let index = (within / WORD_POSITIONS) as usize;
    (position / BLOCK_POSITIONS, index, within % WORD_POSITIONS)
}

/// The bits of `count` positions of a word from `offset` on.
fn mask(offset: u64, count: u64) -> u64 {
    if count >= WORD_POSITIONS {
        return u64::MAX;
    }
    ((1 << (2 * count)) - 1) << (2 * offset)
}

/// A word whose positions all have `status`.
fn pattern(status: Status) -> u64 {
    let mark = match status {
        Status::Done => 1,
        Status::Refused => 2,
        Status::Unresolved => 3,
    };
    mark * EACH_POSITION
}

fn status_of(mark: u64) -> Option<Status> {
    match mark {
        1 => Some(Status::Done),
        2 => Some(Status::Refused),
        3 => Some(Status::Unresolved),
        _ => None,
    }
}
