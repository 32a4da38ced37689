//! The table of instances under its lock: look-up, making, eviction, expiry.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Weak};
use std::task::Waker;
use std::time::Duration;

use nervix_clock::{DomainClock, DomainDeadline};
use nspl_model::BranchDef;
use parking_lot::Mutex;

use super::idle::IdleList;
use super::instance::{BranchRef, Identity, Instance};
use super::key::BranchKey;
use crate::line::{Line, Ticket};
use crate::state::{Latest, MaterializedState};

/// The bound where a branch declares no MAX INSTANCES; it then evicts in the same way.
pub const UNDECLARED_INSTANCES_MAX: u32 = 1_000_000;
/// How many instances past their TTL the making of a new one forgets besides.
const EXPIRED_PER_NEW: usize = 2;

pub(super) struct Table {
    identity: Arc<Identity>,
    ttl: Duration,
    instances_max: usize,
    clock: DomainClock,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    by_key: HashMap<ByKey, u32, ahash::RandomState>,
    slots: Vec<Slot>,
    free: Vec<u32>,
    idle: IdleList,
    line: Line,
    /// The materialized states that live beside the instances.
    states: Vec<Weak<MaterializedState>>,
    /// What forgotten instances leave, to be dropped without the lock.
    left: Vec<Arc<Latest>>,
}

struct Slot {
    instance: Option<Arc<Instance>>,
    /// When the TTL of an idle instance is over.
    expiry: DomainDeadline,
}

/// An instance found by its key.
struct ByKey(Arc<Instance>);

impl Table {
    pub(super) fn new(def: &BranchDef, identity: Arc<Identity>, clock: DomainClock) -> Self {
        let instances_max = def.max_instances.unwrap_or(UNDECLARED_INSTANCES_MAX).max(1) as usize;
        Self {
            identity,
            ttl: def.ttl,
            instances_max,
            clock,
            state: Mutex::default(),
        }
    }

    pub(super) fn clock(&self) -> &DomainClock {
        &self.clock
    }

    /// Keeps `state` beside the instances.
    pub(super) fn keep_state(&self, kept: Weak<MaterializedState>) {
        let mut state = self.state.lock();
        state.states.retain(|known| known.strong_count() > 0);
        state.states.push(kept);
    }

    /// Forgets idle instances, the least recently used first, while `over` says so.
    pub(super) fn forget_idle_while(&self, over: impl Fn() -> bool) {
        while over() {
            let (left, next) = {
                let mut state = self.state.lock();
                let Some(oldest) = state.idle.first() else {
                    return;
                };
                state.forget(oldest);
                (std::mem::take(&mut state.left), state.line.first())
            };
            drop(left);
            next.into_iter().for_each(Waker::wake);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.state.lock().by_key.len()
    }

    pub(super) fn idle(&self) -> usize {
        self.state.lock().idle.len()
    }

    /// The instance of `key` where nobody has to wait for it.
    pub(super) fn try_intern(&self, key: BranchKey<'_>) -> Option<BranchRef> {
        let now = self.now();
        let (branch, left) = {
            let mut state = self.state.lock();
            let branch = match state.find(key.as_bytes(), now) {
                Some(branch) => Some(branch),
                None if state.line.is_first(None) && self.make_room(&mut state, now) => {
                    Some(state.make(&self.identity, key.as_bytes(), now))
                }
                None => None,
            };
            (branch, std::mem::take(&mut state.left))
        };
        drop(left);
        branch
    }

    /// The instance of `key`, or the place in line of the waiting caller.
    pub(super) fn intern(
        &self,
        key: BranchKey<'_>,
        ticket: Option<Ticket>,
        waker: &Waker,
    ) -> Result<BranchRef, Ticket> {
        let now = self.now();
        let (branch, woken, left) = {
            let mut state = self.state.lock();
            let (branch, woken) = if let Some(branch) = state.find(key.as_bytes(), now) {
                state.line.leave(ticket);
                let next = state.line.first().filter(|_| ticket.is_some());
                (Ok(branch), next.into_iter().collect())
            } else if state.line.is_first(ticket) && self.make_room(&mut state, now) {
                state.line.leave(ticket);
                let branch = state.make(&self.identity, key.as_bytes(), now);
                // Not only the next in line: another one may wait for the very key that exists now.
                (Ok(branch), state.line.all())
            } else {
                (Err(state.line.stay(ticket, waker)), Vec::new())
            };
            (branch, woken, std::mem::take(&mut state.left))
        };
        drop(left);
        woken.into_iter().for_each(Waker::wake);
        branch
    }

    /// Gives up a place in line.
    pub(super) fn leave(&self, ticket: Ticket) {
        let next = {
            let mut state = self.state.lock();
            state.line.leave(Some(ticket));
            state.line.first()
        };
        next.into_iter().for_each(Waker::wake);
    }

    /// The last reference to `instance` is gone: from now on it may be evicted, and its TTL runs.
    pub(super) fn rest(&self, instance: &Arc<Instance>) {
        let expiry = self.clock.deadline_after(self.ttl);
        let next = {
            let mut state = self.state.lock();
            let slot = instance.slot();
            let known = state
                .slots
                .get(slot as usize)
                .and_then(|slot| slot.instance.as_ref());
            // Between the count and the lock it may have been used, rested, even evicted by somebody else.
            if !known.is_some_and(|known| Arc::ptr_eq(known, instance))
                || !instance.is_idle()
                || state.idle.contains(slot)
            {
                return;
            }
            state.slots[slot as usize].expiry = expiry;
            state.idle.push(slot);
            state.line.first()
        };
        next.into_iter().for_each(Waker::wake);
    }

    pub(super) fn expire(&self) -> usize {
        let now = self.now();
        let (expired, next, left) = {
            let mut state = self.state.lock();
            let expired = state.forget_expired(now, usize::MAX);
            let next = state.line.first().filter(|_| expired > 0);
            (expired, next, std::mem::take(&mut state.left))
        };
        drop(left);
        next.into_iter().for_each(Waker::wake);
        expired
    }

    pub(super) fn next_expiry(&self) -> Option<DomainDeadline> {
        let state = self.state.lock();
        state
            .idle
            .first()
            .and_then(|slot| state.slots.get(slot as usize))
            .map(|slot| slot.expiry)
    }

    fn now(&self) -> DomainDeadline {
        self.clock.deadline_after(Duration::ZERO)
    }

    /// Sees to it that one more instance fits; false when all are busy.
    fn make_room(&self, state: &mut State, now: DomainDeadline) -> bool {
        state.forget_expired(now, EXPIRED_PER_NEW);
        if state.by_key.len() < self.instances_max {
            return true;
        }
        match state.idle.first() {
            Some(oldest) => {
                state.forget(oldest);
                true
            }
            None => false,
        }
    }
}

impl State {
    fn find(&mut self, key: &[u8], now: DomainDeadline) -> Option<BranchRef> {
        let slot = *self.by_key.get(key)?;
        if self.idle.contains(slot) {
            if self
                .slots
                .get(slot as usize)
                .is_some_and(|slot| slot.expiry <= now)
            {
                self.forget(slot);
                return None;
            }
            self.idle.remove(slot);
        }
        self.slots
            .get(slot as usize)?
            .instance
            .as_ref()
            .map(|instance| instance.refer())
    }

    fn make(&mut self, identity: &Arc<Identity>, key: &[u8], now: DomainDeadline) -> BranchRef {
        let slot = match self.free.pop() {
            Some(slot) => slot,
            None => {
                self.slots.push(Slot {
                    instance: None,
                    expiry: now,
                });
                self.idle.grow(self.slots.len());
                (self.slots.len() - 1) as u32
            }
        };
        let instance = Instance::new(identity, key, slot);
        let branch = instance.refer();
        self.by_key.insert(ByKey(Arc::clone(&instance)), slot);
        self.slots[slot as usize].instance = Some(instance);
        branch
    }

    /// Forgets up to `most` idle instances whose TTL is over.
    fn forget_expired(&mut self, now: DomainDeadline, most: usize) -> usize {
        let mut forgotten = 0;
        while forgotten < most
            && let Some(slot) = self.idle.first()
            && self.slots[slot as usize].expiry <= now
        {
            self.forget(slot);
            forgotten += 1;
        }
        forgotten
    }

    fn forget(&mut self, slot: u32) {
        self.idle.remove(slot);
        if let Some(instance) = self.slots[slot as usize].instance.take() {
            self.by_key.remove(instance.key());
            self.free.push(slot);
            let states = self.states.iter().filter_map(Weak::upgrade);
            self.left
                .extend(states.filter_map(|state| state.forget(instance.key())));
        }
    }
}

impl Borrow<[u8]> for ByKey {
    fn borrow(&self) -> &[u8] {
        self.0.key()
    }
}

impl Hash for ByKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.key().hash(state);
    }
}

impl PartialEq for ByKey {
    fn eq(&self, other: &Self) -> bool {
        self.0.key() == other.0.key()
    }
}

impl Eq for ByKey {}
