//! The relays and branch tables of one run of a domain.
//!
//! Invariant: one relay per name and one branch table per BRANCH, whoever refers to them; a relay whose schema or
//! branch changed is another relay. Everything here ends with the run of the domain. Relays are made and closed without a
//! lock: both tell writers.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use nervix_clock::DomainClock;
use nervix_ingestor::Relays;
use nervix_relay::{Branches, FingerprintKey, MaterializedState, Relay, StateBudget};
use nervix_state::{DomainId, StateError, StateStore};
use nspl_model::{BranchDef, RelayDef};
use parking_lot::Mutex;

use crate::supervisor::{Supervisor, Task};

/// See the module.
#[derive(Debug)]
pub(crate) struct DomainRelays {
    clock: DomainClock,
    fingerprints: FingerprintKey,
    supervisor: Supervisor,
    states: Option<RelayStates>,
    relays: Mutex<BTreeMap<String, Arc<Relay>>>,
    branches: Mutex<BTreeMap<String, Kept>>,
}

/// Where the materialized states of a domain are kept.
#[derive(Clone, Debug)]
pub(crate) struct RelayStates {
    pub(crate) store: StateStore,
    pub(crate) domain: DomainId,
    pub(crate) budget: StateBudget,
}

#[derive(Debug)]
struct Kept {
    branches: Branches,
    /// Forgets instances as their TTL ends.
    _keeper: Task,
}

impl DomainRelays {
    /// No relays yet.
    pub(crate) fn new(clock: DomainClock, fingerprints: FingerprintKey, supervisor: Supervisor) -> Self {
        Self {
            clock,
            fingerprints,
            supervisor,
            states: None,
            relays: Mutex::default(),
            branches: Mutex::default(),
        }
    }

    /// The clock of the run.
    pub(crate) fn clock(&self) -> &DomainClock {
        &self.clock
    }

    /// The same, with materialized states.
    pub(crate) fn with_states(mut self, states: RelayStates) -> Self {
        self.states = Some(states);
        self
    }

    /// Makes the relays of `defs`, and brings back their states; the disk is read beside the threads that run tasks.
    ///
    /// # Errors
    /// A state that could not be brought back, in a sentence.
    pub(crate) async fn open(self: &Arc<Self>, defs: Vec<Arc<RelayDef>>) -> Result<(), String> {
        for def in defs {
            let (relays, name) = (Arc::clone(self), def.name.clone());
            let made = match self.known(&def) {
                Some(known) => Some(known),
                None if !def.materialized => Some(self.relay(&def)),
                None => self.supervisor.blocking(move || relays.relay(&def)).await,
            };
            if made.is_none_or(|relay| relay.is_closed()) {
                return Err(format!(
                    "the materialized state of relay {name} cannot be read or written; the log of this worker says why"
                ));
            }
        }
        Ok(())
    }

    /// Reads the disk: [`Self::open`] is the only one to wait for it.
    fn materialized(&self, def: &Arc<RelayDef>) -> Result<Option<Arc<MaterializedState>>, StateError> {
        let Some(states) = self.states.as_ref().filter(|_| def.materialized) else {
            return Ok(None);
        };
        let (journal, restored) = states.store.relay(&states.domain, def)?;
        let branches = def.branch.as_ref().map(|branch| self.branches(branch));
        let state = MaterializedState::new(journal, states.budget.clone(), branches);
        state.restore(restored, self.clock.now());
        Ok(Some(state))
    }

    /// The relay of `def`; one of another form under its name is closed and forgotten.
    fn known(&self, def: &RelayDef) -> Option<Arc<Relay>> {
        let mut relays = self.relays.lock();
        if let Some(known) = relays.get(&def.name)
            && same_form(known.def(), def)
        {
            known.set_capacity(def.capacity);
            return Some(Arc::clone(known));
        }
        let other = relays.remove(&def.name);
        drop(relays);
        if let Some(other) = other {
            other.close();
        }
        None
    }

    /// Keeps a relay that was made, unless somebody else has made the same meanwhile; gives the one that is kept.
    fn keep(&self, relay: Arc<Relay>) -> Arc<Relay> {
        let mut relays = self.relays.lock();
        if let Some(known) = relays.get(relay.name())
            && same_form(known.def(), relay.def())
        {
            return Arc::clone(known);
        }
        let other = relays.insert(relay.name().to_owned(), Arc::clone(&relay));
        drop(relays);
        if let Some(other) = other {
            other.close();
        }
        relay
    }

    /// The relay called `name`, if there is one.
    pub(crate) fn find(&self, name: &str) -> Option<Arc<Relay>> {
        self.relays.lock().get(name).cloned()
    }

    /// Installs the CAPACITY of `defs` in the relays that there are.
    pub(crate) fn install_capacity<'a>(&self, defs: impl IntoIterator<Item = &'a Arc<RelayDef>>) {
        let relays = self.relays.lock();
        for def in defs {
            if let Some(known) = relays.get(&def.name) {
                known.set_capacity(def.capacity);
            }
        }
    }

    /// Closes the relays and forgets the branch tables that nobody refers to any more.
    pub(crate) fn retain(&self, relays: &BTreeSet<&str>, branches: &BTreeSet<&str>) {
        let gone: Vec<Arc<Relay>> = self
            .relays
            .lock()
            .extract_if(.., |name, _| !relays.contains(name.as_str()))
            .map(|(_, relay)| relay)
            .collect();
        gone.iter().for_each(|relay| relay.close());
        self.branches
            .lock()
            .retain(|name, _| branches.contains(name.as_str()));
    }

    /// Ends every relay: what is queued resolves as unresolved.
    pub(crate) fn close(&self) {
        let relays = std::mem::take(&mut *self.relays.lock());
        relays.values().for_each(|relay| relay.close());
        self.branches.lock().clear();
    }

    /// Every relay, by name.
    pub(crate) fn list(&self) -> Vec<Arc<Relay>> {
        self.relays.lock().values().cloned().collect()
    }
}

impl Relays for DomainRelays {
    /// The relay of `def`, made if there is none, with its materialized state as it was durable. One of another form under
    /// the same name is closed; a new CAPACITY is installed live. A relay whose state cannot be brought back is closed.
    fn relay(&self, def: &Arc<RelayDef>) -> Arc<Relay> {
        if let Some(known) = self.known(def) {
            return known;
        }
        // Without a lock: what the disk makes durable meanwhile is told to writers.
        match self.materialized(def) {
            Ok(state) => {
                let relay = Relay::with_state(Arc::clone(def), state);
                if let Some(states) = &self.states {
                    relay.bound_bytes(states.budget.node.queue_bytes());
                }
                self.keep(relay)
            }
            Err(error) => {
                tracing::error!(relay = def.name, %error, "a materialized state cannot be brought back");
                let relay = Relay::new(Arc::clone(def));
                relay.close();
                relay
            }
        }
    }

    /// The instances of `def`, whose table is made if there is none.
    fn branches(&self, def: &Arc<BranchDef>) -> Branches {
        let mut tables = self.branches.lock();
        if let Some(known) = tables.get(&def.name)
            && known.branches.def() == def
        {
            return known.branches.clone();
        }
        let branches = Branches::new(Arc::clone(def), self.fingerprints.clone(), self.clock.clone());
        let kept = branches.clone();
        let keeper = self.supervisor.keep(
            move || {
                let kept = kept.clone();
                async move { kept.keep().await }
            },
            |_| tracing::error!("the keeper of a branch table panicked"),
        );
        let entry = Kept {
            branches: branches.clone(),
            _keeper: keeper,
        };
        tables.insert(def.name.clone(), entry);
        branches
    }
}

impl Drop for DomainRelays {
    fn drop(&mut self) {
        self.close();
    }
}

fn same_form(one: &RelayDef, other: &RelayDef) -> bool {
    one.schema == other.schema && one.branch == other.branch && one.materialized == other.materialized
}

#[cfg(test)]
mod tests;
