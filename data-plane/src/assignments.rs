//! What is assigned to this worker, and what it executes of it.
//!
//! Invariants: a change is applied as one step, in this order: what is gone ends, ways in first; stopped domains end;
//! newer generations replace older ones; consumers attach; ways in open. An equal generation is untouched, so that
//! reading the same assignment again changes nothing. Nothing here knows the protocol of the control plane.

mod blocked;
mod domain;
mod drain;
mod dynamic;
mod emitting;
mod ingesting;
mod spec;
mod unread;

use std::{
    collections::{BTreeMap, BTreeSet},
    future::Future,
    sync::Arc,
    time::Duration,
};

use futures::future::join_all;
use nervix_budget::Budget;
use nervix_clock::{PhysicalClock, PhysicalInstant};
use nervix_relay::StateBudget;
use nervix_source_client::CloseReason;
use nervix_state::{DomainId, StateStore};
use tokio::sync::Notify;

use crate::{
    describe::Description, destinations::Destinations, directory::Directory, events::Events,
    flight::MessageLimit, supervisor::Supervisor,
};
use domain::DomainSlot;
use drain::{Hold, Step, drain};
#[cfg(test)]
pub(crate) use spec::HANDOVER_BOUND;
pub(crate) use spec::{
    ChangeSet, DomainSpec, EntityName, EntitySpec, Executed, ExecutedKind, Pace, StartFailure, Subject,
};
use unread::Unread;

/// Drains that may be open at once.
const DRAINS_MAX: usize = 64;

/// What each round of a shutdown is given even after its bound has passed, physical time.
const ROUND_GRACE: Duration = Duration::from_millis(500);

/// What every part of this node shares.
#[derive(Clone)]
pub(crate) struct Surroundings {
    pub(crate) supervisor: Supervisor,
    pub(crate) budget: Budget,
    /// The materialized states of this node, and what they may hold.
    pub(crate) states: StateStore,
    pub(crate) state_budget: StateBudget,
    pub(crate) clock: PhysicalClock,
    pub(crate) directory: Directory,
    /// What emitters deliver to outside.
    pub(crate) destinations: Destinations,
    pub(crate) events: Events,
    pub(crate) consumer_bytes: u64,
    pub(crate) limit: MessageLimit,
    pub(crate) drain_bound: Duration,
    /// Told when an incarnation of an emitter has ended, when the next one begins, and when there will be none.
    pub(crate) incarnations: Arc<Notify>,
}

/// See the module.
pub(crate) struct Assignments {
    node: Surroundings,
    domains: BTreeMap<String, DomainSlot>,
    /// What is assigned and could not be read until now.
    unread: Unread,
    drains: BTreeMap<u64, Paused>,
}

/// A drain until it is released.
struct Paused {
    hold: Arc<Hold>,
    ingestors: Vec<EntityName>,
}

impl Drop for Paused {
    fn drop(&mut self) {
        self.hold.release();
    }
}

impl Assignments {
    pub(crate) fn new(node: Surroundings) -> Self {
        Self {
            node,
            domains: BTreeMap::new(),
            unread: Unread::default(),
            drains: BTreeMap::new(),
        }
    }

    /// Applies a change as one step and says what could not be started.
    pub(crate) async fn apply(&mut self, mut change: ChangeSet) -> Vec<StartFailure> {
        self.unread.sift(&mut change);
        let gone = self.gone(&change);
        // First, so that whoever comes back at once is told as well.
        self.node.directory.set_elsewhere(change.moved_to.clone());
        let (change_of, node) = (&change, &self.node);
        let removals = self.domains.iter_mut().map(|(name, slot)| {
            let of_domain = gone.iter().filter(|entity| *entity.domain == **name).cloned();
            let moved = change_of.moved_to.as_ref();
            let moved = moved.filter(|_| !change_of.removed_domains.contains(name));
            slot.remove(of_domain.collect(), moved, node)
        });
        join_all(removals).await;
        let listed = |name: &String| {
            change.domains.iter().any(|domain| domain.name == *name) || self.unread.has_domain(name)
        };
        let ended: Vec<String> = self
            .domains
            .keys()
            .filter(|name| change.removed_domains.contains(name) || (change.full && !listed(name)))
            .cloned()
            .collect();
        self.remove_domains(&ended).await;
        let mut refused = self.set_domains(&change.domains).await;
        refused.extend(self.take(change.entities).await);
        let understood = refused.is_empty() && self.unread.is_empty();
        let mut failures = self.unread.failures(self.holdings());
        failures.extend(refused);
        let failures = self.start(failures).await;
        self.node.directory.set_assigned();
        if understood {
            self.forget_states().await;
        }
        failures
    }

    /// Forgets the materialized states of relays that nothing assigned refers to any more. Not called while something
    /// that is assigned could not be read: it might refer to them.
    async fn forget_states(&self) {
        let slots = self.domains.values();
        let kept: BTreeSet<(DomainId, String)> = slots.flat_map(DomainSlot::materialized).collect();
        let keep = move |domain: &DomainId, relay: &str| kept.contains(&(domain.clone(), relay.to_owned()));
        let states = self.node.states.clone();
        let retained = self.node.supervisor.blocking(move || states.retain(keep)).await;
        if let Some(Err(error)) = retained {
            tracing::error!(%error, "states of relays that are gone could not be forgotten");
        }
    }

    /// Whether everything that is assigned and to run does run.
    pub(crate) fn runs_all(&self) -> bool {
        !self.unread.has_any_domain() && self.domains.values().all(|slot| slot.runs_all(&self.unread))
    }

    /// Begins to drain entities, in order. The gates stay closed until [`Self::resume`].
    pub(crate) fn drain(
        &mut self,
        id: u64,
        entities: &[EntityName],
        bound: Duration,
    ) -> impl Future<Output = Result<(), String>> + Send + use<> {
        let steps: Vec<Step> = entities.iter().filter_map(|entity| self.step(entity)).collect();
        let hold = Arc::new(Hold::default());
        let ingestors = entities
            .iter()
            .filter(|entity| entity.kind == ExecutedKind::Ingestor);
        let paused = Paused {
            hold: Arc::clone(&hold),
            ingestors: ingestors.cloned().collect(),
        };
        let room = self.drains.len() < DRAINS_MAX;
        if room {
            self.drains.insert(id, paused);
        }
        let (clock, deadline) = (self.node.clock.clone(), self.node.clock.now().after(bound));
        async move {
            if !room {
                return Err(format!("{DRAINS_MAX} drains are open already"));
            }
            drain(steps, hold, (clock, deadline)).await
        }
    }

    /// Opens what a drain closed; what has ended or changed meanwhile stays as it is.
    pub(crate) fn resume(&mut self, id: u64) {
        let Some(paused) = self.drains.remove(&id) else {
            return;
        };
        // First, so that no step gates again what is opened here.
        paused.hold.release();
        let held = |entity: &EntityName| self.drains.values().any(|other| other.ingestors.contains(entity));
        for entity in paused.ingestors.iter().filter(|entity| !held(entity)) {
            let slot = self
                .domains
                .get(&*entity.domain)
                .and_then(|domain| domain.ingestors.get(&entity.name));
            if let Some(slot) = slot {
                slot.release();
            }
        }
    }

    /// Opens what every drain closed: nobody is there to finish them.
    pub(crate) fn resume_all(&mut self) {
        let open: Vec<u64> = self.drains.keys().copied().collect();
        open.into_iter().for_each(|id| self.resume(id));
    }

    /// Every executed entity with its generation.
    pub(crate) fn holdings(&self) -> Vec<(EntityName, u64)> {
        self.domains.values().flat_map(DomainSlot::holdings).collect()
    }

    /// What only this node knows, in the order of DESCRIBE.
    pub(crate) fn describe(&self, subject: &Subject) -> Option<Description> {
        match subject {
            Subject::Entity(entity) => self.describe_entity(entity),
            Subject::Relay { domain, name } => {
                let relay = self.domains.get(domain)?.relay(name)?;
                Some(crate::describe::relay(&relay).into())
            }
            Subject::Node => Some(crate::describe::node(&self.node).into()),
        }
    }

    fn describe_entity(&self, entity: &EntityName) -> Option<Description> {
        let domain = self.domains.get(&*entity.domain)?;
        match entity.kind {
            ExecutedKind::Ingestor => {
                let slot = domain.ingestors.get(&entity.name)?;
                Some(crate::describe::ingestor(&slot.inlet).into())
            }
            ExecutedKind::Emitter => {
                let slot = domain.emitters.get(&entity.name)?;
                Some(crate::describe::emitter(&slot.outlet, domain.is_running()))
            }
        }
    }

    /// Shutdown: closes the ways in, empties ingestors, then emitters in order, until `deadline`; says what is left.
    pub(crate) async fn finish(&mut self, deadline: PhysicalInstant) -> Vec<String> {
        let linger = deadline.since(self.node.clock.now());
        self.drains.clear();
        let running = || self.domains.values().filter(|slot| slot.is_running());
        let mut rounds: Vec<Vec<Step>> = vec![Vec::new()];
        for slot in running() {
            slot.ingestors
                .values()
                .for_each(|ingestor| ingestor.close(CloseReason::Draining, linger));
            rounds[0].extend(slot.ingestors.values().filter_map(ingestor_step));
            for (number, round) in slot.emitters_in_rounds().into_iter().enumerate() {
                if rounds.len() <= number + 1 {
                    rounds.push(Vec::new());
                }
                rounds[number + 1].extend(round.into_iter().filter_map(emitter_step));
            }
        }
        let mut leftovers = Vec::new();
        for round in rounds {
            // A round that begins after the deadline still gets to say that it holds nothing.
            let deadline = deadline.max(self.node.clock.now().after(ROUND_GRACE));
            let drains = round
                .into_iter()
                .map(|step| drain(vec![step], Arc::default(), (self.node.clock.clone(), deadline)));
            let drained = join_all(drains).await;
            leftovers.extend(drained.into_iter().filter_map(Result::err));
        }
        leftovers.extend(self.commit_states(deadline).await.err());
        for slot in self.domains.values() {
            slot.emitters.values().for_each(|emitter| emitter.end_consumers());
        }
        leftovers
    }

    /// Makes states durable until `deadline`, or a little later.
    async fn commit_states(&self, deadline: PhysicalInstant) -> Result<(), String> {
        let states = self.node.states.clone();
        let deadline = deadline.max(self.node.clock.now().after(ROUND_GRACE));
        let committing = self.node.supervisor.blocking(move || states.commit());
        match self.node.clock.timeout_at(deadline, committing).await {
            Ok(Some(Ok(()))) => Ok(()),
            Ok(Some(Err(error))) => Err(error.to_string()),
            Ok(None) => Err("the commit of states panicked".to_owned()),
            Err(_) => Err("the states of this node were not written in time".to_owned()),
        }
    }

    /// Answers what is still open UNRESOLVED and ends everything. What does not end until `deadline`, or a little later, is
    /// given up with its task.
    pub(crate) async fn end(&mut self, deadline: PhysicalInstant) {
        for ingestor in self.domains.values().flat_map(|slot| slot.ingestors.values()) {
            ingestor.close(CloseReason::Draining, Duration::ZERO);
        }
        let deadline = deadline.max(self.node.clock.now().after(ROUND_GRACE));
        let (clock, node) = (self.node.clock.clone(), &self.node);
        let ended = join_all(self.domains.values_mut().map(|slot| slot.end(node)));
        if clock.timeout_at(deadline, ended).await.is_err() {
            tracing::warn!("what had not ended at the end of the drain was cut off");
        }
        let deadline = clock.now().after(ROUND_GRACE);
        self.node.destinations.drain(deadline).await;
    }

    fn gone(&self, change: &ChangeSet) -> Vec<EntityName> {
        let assigned = |entity: &EntityName| {
            change.entities.iter().any(|spec| spec.entity == *entity) || self.unread.is_assigned(entity)
        };
        let mut gone = change.removed.clone();
        if change.full {
            let held = self.holdings().into_iter().map(|(entity, _)| entity);
            gone.extend(held.filter(|entity| !assigned(entity)));
        }
        gone
    }

    /// Ends domains, together.
    async fn remove_domains(&mut self, names: &[String]) {
        let (domains, node) = (&mut self.domains, &self.node);
        let slots = names
            .iter()
            .filter_map(|name| Some((name, domains.remove(name)?)));
        let removals = slots.map(|(name, mut slot)| async move {
            let entities: Vec<EntityName> = slot.holdings().into_iter().map(|(entity, _)| entity).collect();
            slot.remove(entities, None, node).await;
            slot.stop(node).await;
            node.directory.remove_domain(name);
        });
        join_all(removals).await;
    }

    /// Brings domains to what they are to be, together: those that stop, and new ones.
    async fn set_domains(&mut self, specs: &[DomainSpec]) -> Vec<StartFailure> {
        let node = &self.node;
        let named: BTreeMap<&str, &DomainSpec> =
            specs.iter().map(|spec| (spec.name.as_str(), spec)).collect();
        let known = self.domains.iter_mut().filter_map(|(name, slot)| {
            let spec = named.get(name.as_str())?;
            Some(slot.set(DomainSpec::clone(spec), node))
        });
        let refused = join_all(known).await.into_iter().flatten().collect();
        for (name, spec) in named {
            self.domains
                .entry(name.to_owned())
                .or_insert_with(|| DomainSlot::new(spec.clone(), node));
        }
        refused
    }

    async fn take(&mut self, entities: Vec<EntitySpec>) -> Vec<StartFailure> {
        let mut by_domain: BTreeMap<Arc<str>, Vec<EntitySpec>> = BTreeMap::new();
        for spec in entities {
            by_domain
                .entry(Arc::clone(&spec.entity.domain))
                .or_default()
                .push(spec);
        }
        let mut failures = Vec::new();
        for (name, specs) in by_domain {
            match self.domains.get_mut(&*name) {
                Some(slot) => failures.extend(slot.take(specs, &self.node).await),
                None => specs.into_iter().for_each(|spec| {
                    self.unread.note(StartFailure {
                        message: format!("domain {name} is not assigned"),
                        entity: spec.entity,
                        generation: spec.generation,
                    });
                }),
            }
        }
        failures
    }

    async fn start(&mut self, mut failures: Vec<StartFailure>) -> Vec<StartFailure> {
        let held: BTreeSet<EntityName> = self
            .drains
            .values()
            .flat_map(|paused| paused.ingestors.iter().cloned())
            .collect();
        for slot in self.domains.values_mut() {
            failures.extend(slot.start(&held, &self.unread, &self.node).await);
        }
        failures
    }

    fn step(&self, entity: &EntityName) -> Option<Step> {
        let domain = self.domains.get(&*entity.domain)?;
        match entity.kind {
            ExecutedKind::Ingestor => domain.ingestors.get(&entity.name).and_then(ingestor_step),
            ExecutedKind::Emitter => domain.emitters.get(&entity.name).and_then(emitter_step),
        }
    }
}

fn ingestor_step(slot: &ingesting::IngestorSlot) -> Option<Step> {
    Some(Step::Ingestor {
        entity: slot.entity.clone(),
        inlet: Arc::clone(&slot.inlet),
        handle: slot.handle()?,
    })
}

fn emitter_step(slot: &emitting::EmitterSlot) -> Option<Step> {
    Some(Step::Emitter {
        entity: slot.entity.clone(),
        sources: slot.sources().to_vec(),
        handle: slot.handle()?,
    })
}
