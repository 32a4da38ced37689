//! The budget itself: the sum of what is held, the line of those who wait, and the buffers that could be let go of early.
//!
//! Invariants: a place in the line is granted only at the front, and its bytes are counted at the moment it is
//! granted, so no later arrival can take them. While somebody waits and anything is deferred, a buffer has its turn to
//! let go: the fullest, and one at a time.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::Arc;
use std::task::Waker;

use parking_lot::Mutex;

use crate::admit::Admit;
use crate::defer::Defer;
use crate::held::Held;

/// What one queue of a graph may hold, as one part in so many of the budget: so that a graph which stands still leaves room
/// for the others.
pub const QUEUE_SHARE: u64 = 8;

/// A bound on bytes that many holders share. Cheap to clone; all clones are the same budget.
#[derive(Clone)]
pub struct Budget {
    shared: Arc<Shared>,
}

pub(crate) struct Shared {
    name: &'static str,
    limit_bytes: u64,
    line: Mutex<Line>,
}

/// Who waits, in order of arrival.
#[derive(Default)]
pub(crate) struct Line {
    used_bytes: u64,
    next_ticket: u64,
    waiting: VecDeque<Waiting>,
    /// Places whose bytes are counted already and wait to be collected, by ticket.
    granted: BTreeMap<u64, u64>,
    /// Buffers that wait for their boundary, by bytes and ticket.
    deferred: BTreeMap<(u64, u64), Waker>,
    /// A buffer has its turn to let go.
    letting_go: bool,
}

struct Waiting {
    ticket: u64,
    bytes: u64,
    waker: Waker,
}

impl Budget {
    /// A budget of `limit_bytes` bytes, called `node`.
    pub fn new(limit_bytes: u64) -> Self {
        Self::named("node", limit_bytes)
    }

    /// A budget of `limit_bytes` bytes with a name for diagnostics.
    pub fn named(name: &'static str, limit_bytes: u64) -> Self {
        let shared = Shared {
            name,
            limit_bytes,
            line: Mutex::default(),
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// Waits, in order of arrival, until `bytes` fit below the limit, and holds them.
    ///
    /// For ways in only. More than the whole limit passes when nothing else is held; nothing passes without
    /// waiting for those who came before. Cancel-safe: dropped early, it holds nothing and lets the next one pass.
    pub fn admit(&self, bytes: u64) -> Admit {
        Admit::new(self.clone(), bytes)
    }

    /// Holds `bytes` at once when they fit and nobody waits before.
    pub fn try_admit(&self, bytes: u64) -> Option<Held> {
        let mut line = self.shared.line.lock();
        let free = line.waiting.is_empty() && self.shared.fits(&line, bytes);
        free.then(|| self.hold(&mut line, bytes))
    }

    /// Holds `bytes` without waiting, also past the limit: for what admitted records become inside the worker.
    pub fn charge(&self, bytes: u64) -> Held {
        self.hold(&mut self.shared.line.lock(), bytes)
    }

    /// Waits, with `bytes` that a buffer could pass on but gathers until a boundary, for the moment when it should not wait
    /// for that any longer: ways in wait, and no other buffer that waits is fuller. Never ends with 0 bytes. Cancel-safe.
    pub fn defer(&self, bytes: u64) -> Defer {
        Defer::new(self.clone(), bytes)
    }

    /// Bytes held now; above the limit when charges or one oversized admission took it there.
    pub fn used(&self) -> u64 {
        self.shared.line.lock().used_bytes
    }

    /// The bound, in bytes.
    pub fn limit(&self) -> u64 {
        self.shared.limit_bytes
    }

    /// What one queue of a graph may hold, in bytes: one part in [`QUEUE_SHARE`].
    pub fn queue_bytes(&self) -> u64 {
        self.limit() / QUEUE_SHARE
    }

    /// How many ways in wait now.
    pub fn waiting(&self) -> usize {
        self.shared.line.lock().waiting.len()
    }

    /// The name it was given.
    pub fn name(&self) -> &'static str {
        self.shared.name
    }

    fn hold(&self, line: &mut Line, bytes: u64) -> Held {
        line.used_bytes += bytes;
        Held::new(self.clone(), bytes)
    }

    /// Takes a place at the end of the line, or the bytes at once.
    pub(crate) fn join(&self, bytes: u64, waker: &Waker) -> Result<Held, u64> {
        let mut line = self.shared.line.lock();
        if line.waiting.is_empty() && self.shared.fits(&line, bytes) {
            return Ok(self.hold(&mut line, bytes));
        }
        let ticket = line.ticket();
        line.waiting.push_back(Waiting {
            ticket,
            bytes,
            waker: waker.clone(),
        });
        let asked = line.ask();
        drop(line);
        asked.into_iter().for_each(Waker::wake);
        Err(ticket)
    }

    /// Leaves the line with the bytes when they have been granted, else stays.
    pub(crate) fn collect(&self, ticket: u64, waker: &Waker) -> Option<Held> {
        let mut line = self.shared.line.lock();
        if let Some(bytes) = line.granted.remove(&ticket) {
            return Some(Held::new(self.clone(), bytes));
        }
        let place = line.place_of(ticket)?;
        line.waiting.get_mut(place)?.waker.clone_from(waker);
        None
    }

    /// Gives up a place in the line, and the bytes if they were granted meanwhile.
    pub(crate) fn leave(&self, ticket: u64) {
        let woken = {
            let mut line = self.shared.line.lock();
            if let Some(bytes) = line.granted.remove(&ticket) {
                line.used_bytes -= bytes;
            } else if let Some(place) = line.place_of(ticket) {
                line.waiting.remove(place);
            }
            self.shared.grant(&mut line)
        };
        woken.into_iter().for_each(Waker::wake);
    }

    /// Makes a buffer known that waits for its boundary.
    pub(crate) fn begin_to_defer(&self, bytes: u64, waker: &Waker) -> u64 {
        let mut line = self.shared.line.lock();
        let ticket = line.ticket();
        line.deferred.insert((bytes, ticket), waker.clone());
        let asked = line.ask();
        drop(line);
        asked.into_iter().for_each(Waker::wake);
        ticket
    }

    /// Whether the turn is that buffer's; else it stays.
    pub(crate) fn is_asked(&self, bytes: u64, ticket: u64, waker: &Waker) -> bool {
        let mut line = self.shared.line.lock();
        match line.deferred.get_mut(&(bytes, ticket)) {
            Some(known) => {
                known.clone_from(waker);
                false
            }
            None => true,
        }
    }

    /// Forgets a buffer, and gives its turn on if it had it.
    pub(crate) fn end_to_defer(&self, bytes: u64, ticket: u64) {
        let known = self.shared.line.lock().deferred.remove(&(bytes, ticket));
        if known.is_none() {
            self.has_let_go();
        }
    }

    /// Ends the turn of a buffer.
    pub(crate) fn has_let_go(&self) {
        let asked = {
            let mut line = self.shared.line.lock();
            line.letting_go = false;
            line.ask()
        };
        asked.into_iter().for_each(Waker::wake);
    }

    /// Changes what is held from `old` to `new` bytes and grants what fits now.
    pub(crate) fn adjust(&self, old: u64, new: u64) {
        let woken = {
            let mut line = self.shared.line.lock();
            line.used_bytes = line.used_bytes - old + new;
            self.shared.grant(&mut line)
        };
        woken.into_iter().for_each(Waker::wake);
    }
}

impl Shared {
    fn fits(&self, line: &Line, bytes: u64) -> bool {
        line.used_bytes == 0
            || line
                .used_bytes
                .checked_add(bytes)
                .is_some_and(|total| total <= self.limit_bytes)
    }

    /// Grants from the front of the line as long as the next one fits.
    fn grant(&self, line: &mut Line) -> Vec<Waker> {
        let mut woken = Vec::new();
        while let Some(first) = line.waiting.front()
            && self.fits(line, first.bytes)
            && let Some(first) = line.waiting.pop_front()
        {
            line.used_bytes += first.bytes;
            line.granted.insert(first.ticket, first.bytes);
            woken.push(first.waker);
        }
        woken
    }
}

impl Line {
    fn ticket(&mut self) -> u64 {
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        ticket
    }

    /// Gives the fullest buffer its turn, if somebody waits and no other has it.
    fn ask(&mut self) -> Option<Waker> {
        if self.waiting.is_empty() || self.letting_go {
            return None;
        }
        let (_, waker) = self.deferred.pop_last()?;
        self.letting_go = true;
        Some(waker)
    }

    fn place_of(&self, ticket: u64) -> Option<usize> {
        self.waiting
            .binary_search_by_key(&ticket, |waiting| waiting.ticket)
            .ok()
    }
}

impl fmt::Debug for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budget")
            .field("name", &self.name())
            .field("limit_bytes", &self.limit())
            .field("used_bytes", &self.used())
            .finish()
    }
}

#[cfg(test)]
mod tests;
