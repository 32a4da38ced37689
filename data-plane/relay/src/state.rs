//! The materialized state of one relay: the last row of each concrete branch by domain time of admission, a later
//! arrival winning a tie (companion.md section 2, rulings section 9 "Paced domains").
//!
//! Invariants: the order of arrival is the relay's; a state lives as long as its branch instance and goes with it; what
//! is kept is one row in allocations of its own, counted in the node's budget; a row's share is settled by the journal
//! once the state is durable, never before.
//!
//! What it deliberately does not do: it writes nothing (a [`Journal`] does) and knows no clock.

mod latest;
mod receipt;
mod wakes;

use std::fmt;
use std::sync::{Arc, Weak};

use ahash::AHashMap;
use arrow::error::ArrowError;
use nervix_budget::Budget;
use nervix_clock::DomainTime;
use nervix_columns::copy_out;
use parking_lot::Mutex;

use crate::batch::RelayBatch;
use crate::branches::{BranchRef, Branches};
pub use latest::Latest;
pub use receipt::{Receipt, StateWrite};
pub use wakes::Wakes;

/// The share of the node's budget that states may hold together, as one part in so many. Past it, the least recently used
/// idle instances of the branch that grows are forgotten, as at MAX INSTANCES.
pub const STATE_SHARE: u64 = 2;

/// Makes states durable. It never waits: who publishes holds the relay's lock.
pub trait Journal: Send + Sync {
    /// Takes over a write; its receipt is settled once everything up to it is durable.
    ///
    /// # Errors
    /// The write, when nothing is written any more, or more would wait than may.
    fn put(&self, write: StateWrite) -> Result<(), StateWrite>;

    /// The state of `key` is to be forgotten.
    fn forget(&self, key: &Arc<[u8]>);
}

/// A state as it was durable.
pub struct Restored {
    /// The key values in the encoding of [`crate::BranchKey`]; empty for an unbranched relay.
    pub key: Vec<u8>,
    /// The state; one row.
    pub latest: Latest,
}

/// The state of one relay. Shared by the relay and by whoever depends on it.
pub struct MaterializedState {
    journal: Arc<dyn Journal>,
    budget: StateBudget,
    branches: Option<Branches>,
    cells: Mutex<Cells>,
}

/// What states may hold.
#[derive(Clone, Debug)]
pub struct StateBudget {
    /// The node's budget, in which they count.
    pub node: Budget,
    /// What all states of the node may hold together.
    pub states: Budget,
}

impl StateBudget {
    /// The part of the node's budget that states may hold: one in [`STATE_SHARE`].
    pub fn of(node: Budget) -> Self {
        let states = Budget::named("materialized state", node.limit() / STATE_SHARE);
        Self { node, states }
    }
}

/// What a relay's state comes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StateSize {
    /// Concrete branches with a state; at most 1 in an unbranched relay.
    pub rows: u64,
    /// What they hold, in bytes.
    pub bytes: u64,
    /// States that were forgotten with their instance, since the relay was made.
    pub forgotten: u64,
}

#[derive(Default)]
struct Cells {
    by_key: AHashMap<Arc<[u8]>, Cell>,
    size: StateSize,
}

#[derive(Default)]
struct Cell {
    latest: Option<Arc<Latest>>,
    waiting: Vec<(Weak<Wakes>, u64)>,
}

/// The row of a batch that may become the state.
pub(crate) struct Candidate(Result<Option<Latest>, ArrowError>);

/// What is left to be done once no lock is held.
#[derive(Default)]
pub(crate) struct Replaced {
    _old: Option<Arc<Latest>>,
    _lost: Option<Latest>,
    waiting: Vec<(Weak<Wakes>, u64)>,
    unwritten: Option<StateWrite>,
}

impl MaterializedState {
    /// No state yet; `branches` is the table of the relay's branch.
    pub fn new(journal: Arc<dyn Journal>, budget: StateBudget, branches: Option<Branches>) -> Arc<Self> {
        let state = Arc::new(Self {
            journal,
            budget,
            branches,
            cells: Mutex::default(),
        });
        if let Some(branches) = &state.branches {
            branches.keep_state(&state);
        }
        state
    }

    /// Brings back what was durable, the oldest first, so that the least recently used order is that of the timestamps.
    /// A timestamp past `now` counts as `now`, so that the next row wins. What no longer fits MAX INSTANCES is forgotten.
    pub fn restore(&self, mut states: Vec<Restored>, now: DomainTime) {
        states.sort_by_key(|restored| restored.latest.timestamp());
        for Restored { key, latest } in states {
            let key: Arc<[u8]> = key.into();
            let held = latest.counted(&self.budget, key.len(), now);
            let instance = self.branches.as_ref().map(|branches| branches.restore(&key));
            if matches!(instance, Some(None)) {
                self.journal.forget(&key);
                continue;
            }
            let replaced = self.cells.lock().set(&key, Arc::new(held));
            drop(replaced);
            drop(instance);
        }
        self.trim();
    }

    /// The state of a branch, if there is one.
    pub fn known(&self, branch: Option<&BranchRef>) -> Option<Arc<Latest>> {
        let cells = self.cells.lock();
        cells.by_key.get(key_of(branch))?.latest.clone()
    }

    /// The state of a branch; where there is none, `wakes` hears of `id`, once, when there is one.
    pub fn watch(&self, branch: Option<&BranchRef>, wakes: &Arc<Wakes>, id: u64) -> Option<Arc<Latest>> {
        let mut cells = self.cells.lock();
        let cell = match cells.by_key.get_mut(key_of(branch)) {
            Some(cell) => cell,
            None => cells.by_key.entry(key_of(branch).into()).or_default(),
        };
        if cell.latest.is_none() {
            cell.waiting.retain(|(wakes, _)| wakes.strong_count() > 0);
            cell.waiting.push((Arc::downgrade(wakes), id));
        }
        cell.latest.clone()
    }

    /// What it comes to.
    pub fn size(&self) -> StateSize {
        self.cells.lock().size
    }

    /// The row of a batch that may become the state, copied out: done before the relay's lock is taken.
    pub(crate) fn candidate(&self, batch: &RelayBatch) -> Candidate {
        let Some((row, timestamp)) = batch.timestamps.last_row() else {
            return Candidate(Ok(None));
        };
        let known = self.known(batch.branch.as_ref());
        if known.is_some_and(|known| known.timestamp() > timestamp) {
            return Candidate(Ok(None));
        }
        let copied = copy_out(&batch.records.slice(row, 1));
        let key_bytes = key_of(batch.branch.as_ref()).len();
        Candidate(copied.map(|record| {
            let latest = Latest::new(record, timestamp);
            Some(latest.counted(&self.budget, key_bytes, timestamp))
        }))
    }

    /// Takes the row in, in the order of the relay, and has it written. `receipt` is settled when that is done.
    pub(crate) fn take(&self, candidate: Candidate, receipt: Receipt) -> Replaced {
        let Candidate(Ok(candidate)) = candidate else {
            // Arrow refuses to copy a row: the share is dropped with the receipt, and the writer sends again.
            let key = key_of(receipt.branch()).into();
            return Replaced {
                unwritten: Some(StateWrite::new(key, None, receipt)),
                ..Replaced::default()
            };
        };
        let key = key_of(receipt.branch());
        let mut cells = self.cells.lock();
        let key = match cells.by_key.get_key_value(key) {
            Some((key, _)) => Arc::clone(key),
            None => key.into(),
        };
        let known = cells.by_key.get(&key).and_then(|cell| cell.latest.as_ref());
        let (newer, lost) = match candidate {
            Some(new) if known.is_none_or(|known| known.timestamp() <= new.timestamp()) => {
                (Some(Arc::new(new)), None)
            }
            lost => (None, lost),
        };
        // Under the lock: the journal has the writes of a key in the order in which they were taken.
        let write = StateWrite::new(Arc::clone(&key), newer.clone(), receipt);
        let unwritten = self.journal.put(write).err();
        // What the journal refuses does not become the state: its rows come again.
        let mut replaced = match newer.filter(|_| unwritten.is_none()) {
            Some(newer) => cells.set(&key, newer),
            None => Replaced::default(),
        };
        replaced._lost = lost;
        replaced.unwritten = unwritten;
        replaced
    }

    /// Forgets states of idle instances until what all states hold fits. Called without any lock held.
    pub(crate) fn trim(&self) {
        let states = &self.budget.states;
        let over = || states.used() > states.limit();
        if let Some(branches) = self.branches.as_ref().filter(|_| over()) {
            branches.forget_idle_while(over);
        }
    }

    /// The instance of `key` is no more. The state is handed out, to be dropped without a lock held.
    pub(crate) fn forget(&self, key: &[u8]) -> Option<Arc<Latest>> {
        let mut cells = self.cells.lock();
        let (key, cell) = cells.by_key.remove_entry(key)?;
        let latest = cell.latest?;
        cells.size.rows -= 1;
        cells.size.bytes -= latest.bytes();
        cells.size.forgotten += 1;
        self.journal.forget(&key);
        Some(latest)
    }
}

impl Cells {
    fn set(&mut self, key: &Arc<[u8]>, latest: Arc<Latest>) -> Replaced {
        self.size.bytes += latest.bytes();
        let cell = self.by_key.entry(Arc::clone(key)).or_default();
        let old = cell.latest.replace(latest);
        let waiting = std::mem::take(&mut cell.waiting);
        match &old {
            Some(old) => self.size.bytes -= old.bytes(),
            None => self.size.rows += 1,
        }
        Replaced {
            _old: old,
            waiting,
            ..Replaced::default()
        }
    }
}

impl Replaced {
    /// Wakes who waited for the state, and drops what nobody takes. Called without any lock held.
    pub(crate) fn run(self) {
        for (wakes, id) in self.waiting {
            if let Some(wakes) = wakes.upgrade() {
                wakes.wake(id);
            }
        }
        drop(self.unwritten);
    }
}

/// The key of a branch; that of an unbranched relay is empty, which no branch's is.
fn key_of(branch: Option<&BranchRef>) -> &[u8] {
    branch.map_or(&[], BranchRef::key_encoding)
}

impl fmt::Debug for MaterializedState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MaterializedState")
            .field("size", &self.size())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
