//! One relay: bounded fan-out to its consumers.

mod gate;
mod publish;
mod seats;

use std::fmt;
use std::sync::Arc;
use std::task::{Poll, Waker};

use nspl_model::{Attachment, RelayDef};
use parking_lot::Mutex;

use crate::batch::RelayBatch;
use crate::consumer::Consumer;
use crate::line::Line;
use crate::state::MaterializedState;
pub use gate::Gate;
pub use publish::{Closed, Publish};
pub(crate) use seats::SeatId;
use seats::Seats;

/// Batches of a materialized relay that may wait for their state to be durable; then publishers wait.
pub const UNWRITTEN_BATCHES_MAX: usize = 4_096;

/// A typed stream in memory. Shared as `Arc<Relay>` by its publishers and consumers.
pub struct Relay {
    def: Arc<RelayDef>,
    materialized: Option<Arc<MaterializedState>>,
    state: Mutex<State>,
}

/// Everything that a publish or a receive looks at, under one lock: that is what makes the order the same for all.
pub(crate) struct State {
    pub(crate) seats: Seats,
    capacity: usize,
    /// What a consumer may be behind, in bytes.
    bytes_max: u64,
    gates: usize,
    closed: bool,
    publishers: Line,
    /// Batches whose state is not durable yet.
    pub(crate) unwritten: usize,
}

/// One consumer's place as metrics and DESCRIBE show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatStatus {
    /// The name it attached with.
    pub name: Arc<str>,
    /// Whether its outcome takes part in the upstream acknowledgement.
    pub attachment: Attachment,
    /// Batches that wait for it.
    pub buffered: usize,
    /// Whether its consumer is gone and has not come back.
    pub vacant: bool,
}

impl Relay {
    /// A relay without consumers, and without a state of its own.
    pub fn new(def: Arc<RelayDef>) -> Arc<Self> {
        Self::with_state(def, None)
    }

    /// A relay without consumers; `materialized` is its state where it is declared WITH MATERIALIZED STATE.
    pub fn with_state(def: Arc<RelayDef>, materialized: Option<Arc<MaterializedState>>) -> Arc<Self> {
        let state = State {
            seats: Seats::default(),
            capacity: capacity_of(def.capacity),
            bytes_max: u64::MAX,
            gates: 0,
            closed: false,
            publishers: Line::default(),
            unwritten: 0,
        };
        Arc::new(Self {
            def,
            materialized,
            state: Mutex::new(state),
        })
    }

    /// The definition it was made with; CAPACITY may have changed since.
    pub fn def(&self) -> &Arc<RelayDef> {
        &self.def
    }

    /// Its name in the domain.
    pub fn name(&self) -> &str {
        &self.def.name
    }

    /// Its materialized state, where it has one.
    pub fn materialized(&self) -> Option<&Arc<MaterializedState>> {
        self.materialized.as_ref()
    }

    /// Gives the consumer called `name` its seat. It sees what is published from now on.
    ///
    /// A seat of that name that its consumer left without [`Relay::detach`] (a task that panicked or was
    /// replaced) is taken over with what is queued in it, in order; what is queued keeps the attachment it was
    /// published under. When its consumer is still there, that one is superseded: it receives nothing any more.
    pub fn attach(self: &Arc<Self>, name: &str, attachment: Attachment) -> Consumer {
        let (seat, superseded) = self.state.lock().seats.take(name, attachment);
        superseded.into_iter().for_each(Waker::wake);
        Consumer::new(Arc::clone(self), seat)
    }

    /// Removes the seat called `name`; what is queued in it resolves as unresolved. False when there is none.
    pub fn detach(&self, name: &str) -> bool {
        let Some((queued, waker)) = self.change(|state| state.seats.remove_named(name)) else {
            return false;
        };
        waker.into_iter().for_each(Waker::wake);
        // Not under the lock: shares call back to their writers.
        drop(queued);
        true
    }

    /// Hands `batch` to every consumer once all of them have room, in order of arrival.
    ///
    /// All or nothing: dropped before it is ready, no consumer has seen the batch, and its share resolves as
    /// unresolved. Without an ATTACHED consumer the share is done at once, or where the relay is materialized once its
    /// state is durable. A batch of no rows is not delivered.
    pub fn publish(self: &Arc<Self>, batch: RelayBatch) -> Publish<'_> {
        Publish::new(self, batch)
    }

    /// Makes publishers wait until the gate is dropped (ENTITY_PAUSE). Consumers go on with what is queued.
    /// Gates add up; publishing goes on when the last one is gone.
    pub fn gate(self: &Arc<Self>) -> Gate {
        self.state.lock().gates += 1;
        Gate::new(Arc::clone(self))
    }

    /// Ends it (STOP, DROP): publishers get [`Closed`], consumers receive nothing any more, what is queued resolves
    /// as unresolved.
    pub fn close(&self) {
        let (queued, woken) = {
            let mut state = self.state.lock();
            state.closed = true;
            let (queued, mut woken) = state.seats.clear();
            woken.extend(state.publishers.all());
            (queued, woken)
        };
        woken.into_iter().for_each(Waker::wake);
        drop(queued);
    }

    /// Whether it has been closed.
    pub fn is_closed(&self) -> bool {
        self.state.lock().closed
    }

    /// Changes CAPACITY; what is queued stays (ALTER RELAY, DYNAMIC).
    pub fn set_capacity(&self, batches: u32) {
        self.change(|state| state.capacity = capacity_of(batches));
    }

    /// Bounds what a consumer may be behind, in bytes, besides CAPACITY; a single larger batch passes. Without this there is
    /// no such bound.
    pub fn bound_bytes(&self, bytes: u64) {
        self.change(|state| state.bytes_max = bytes.max(1));
    }

    /// CAPACITY: batches a consumer may be behind.
    pub fn capacity(&self) -> usize {
        self.state.lock().capacity
    }

    /// Batches that the consumer furthest behind has still to receive.
    pub fn buffered(&self) -> usize {
        self.state.lock().seats.longest()
    }

    /// Batches whose materialized state is not durable yet.
    pub fn unwritten(&self) -> usize {
        self.state.lock().unwritten
    }

    /// Publishers that wait.
    pub fn waiting(&self) -> usize {
        self.state.lock().publishers.len()
    }

    /// Its consumers, in the order of their seats.
    pub fn seats(&self) -> Vec<SeatStatus> {
        self.state.lock().seats.status()
    }

    /// Changes the state so that there may be room now, and wakes the first publisher if there is.
    pub(crate) fn change<R>(&self, change: impl FnOnce(&mut State) -> R) -> R {
        let (changed, woken) = {
            let mut state = self.state.lock();
            let changed = change(&mut state);
            (changed, state.next_publisher())
        };
        if let Some(waker) = woken {
            waker.wake();
        }
        changed
    }

    pub(crate) fn with<R>(&self, look: impl FnOnce(&mut State) -> R) -> R {
        look(&mut self.state.lock())
    }
}

impl State {
    /// The next batch for a consumer; nothing when there will be none.
    pub(crate) fn pop(&mut self, seat: SeatId, waker: Option<&Waker>) -> Poll<Option<RelayBatch>> {
        if self.closed {
            return Poll::Ready(None);
        }
        self.seats.pop(seat, waker)
    }

    /// Whether the holder of a place in line, or somebody without one, may publish now.
    fn admits(&self, ticket: Option<u64>) -> bool {
        self.open_with_room() && self.publishers.is_first(ticket)
    }

    fn open_with_room(&self) -> bool {
        self.gates == 0
            && self.seats.longest() < self.capacity
            && self.seats.heaviest() < self.bytes_max
            && self.unwritten < UNWRITTEN_BATCHES_MAX
    }

    fn next_publisher(&self) -> Option<Waker> {
        self.publishers.first().filter(|_| self.open_with_room())
    }
}

fn capacity_of(batches: u32) -> usize {
    // The language refuses 0 (rulings section 2); a queue without room would stop its publishers for ever.
    (batches as usize).max(1)
}

impl fmt::Debug for Relay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Relay")
            .field("name", &self.name())
            .field("seats", &self.seats())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
