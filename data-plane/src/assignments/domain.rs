//! One assigned domain: its entities, and its run while it is started.
//!
//! Invariants: consumers are attached before any way in opens; STOP closes the ways in first, discards what is held and
//! tells writers UNRESOLVED; an entity that cannot start leaves the others running, except that no way in is open whose
//! rows would pass an ATTACHED emitter that does not run; an older generation never replaces a newer one.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use futures::future::join_all;
use nervix_relay::{FingerprintKey, Relay};
use nervix_source_client::CloseReason;
use nervix_state::DomainId;
use nspl_model::{EmitterDef, RelayDef};

use super::{
    Surroundings,
    blocked::Blocked,
    dynamic::{error_relay_of, relays_of_emitter, relays_of_ingestor},
    emitting::EmitterSlot,
    ingesting::IngestorSlot,
    spec::{DomainSpec, EntityName, EntitySpec, Executed, ExecutedKind, StartFailure},
    unread::Unread,
};
use crate::relays::{DomainRelays, RelayStates};

/// A domain of this worker.
pub(crate) struct DomainSlot {
    pub(crate) spec: DomainSpec,
    pub(crate) ingestors: BTreeMap<Arc<str>, IngestorSlot>,
    pub(crate) emitters: BTreeMap<Arc<str>, EmitterSlot>,
    run: Option<Arc<DomainRelays>>,
}

impl DomainSlot {
    pub(crate) fn new(spec: DomainSpec, node: &Surroundings) -> Self {
        node.directory.set_domain(&spec.name, None);
        Self {
            spec,
            ingestors: BTreeMap::new(),
            emitters: BTreeMap::new(),
            run: None,
        }
    }

    /// Takes a new state of the domain; stops it when that ends its run. An older run of the same domain is refused,
    /// for every entity of it.
    pub(crate) async fn set(&mut self, spec: DomainSpec, node: &Surroundings) -> Vec<StartFailure> {
        let same_domain = spec.fingerprint_key == self.spec.fingerprint_key;
        if same_domain && spec.run_generation < self.spec.run_generation {
            let (old, known) = (spec.run_generation, self.spec.run_generation);
            let why = format!(
                "run {old} of domain {} is older than run {known}, which is known here",
                spec.name
            );
            tracing::error!(
                domain = spec.name,
                error = why,
                "an older state of a domain was assigned"
            );
            let holdings = self.holdings().into_iter();
            return holdings
                .map(|(entity, generation)| failure(&entity, generation, why.clone()))
                .collect();
        }
        let goes_on = spec.running && spec == self.spec;
        if self.run.is_some() && !goes_on {
            self.stop(node).await;
        }
        self.spec = spec;
        Vec::new()
    }

    /// Ends the run: what is held is discarded, and writers are told so.
    pub(crate) async fn stop(&mut self, node: &Surroundings) {
        for ingestor in self.ingestors.values_mut() {
            ingestor.close(CloseReason::Stopped, Duration::ZERO);
        }
        self.end(node).await;
    }

    /// Ends everything, because the process ends.
    pub(crate) async fn end(&mut self, node: &Surroundings) {
        join_all(self.ingestors.values_mut().map(IngestorSlot::end)).await;
        join_all(self.emitters.values_mut().map(EmitterSlot::stop)).await;
        if let Some(run) = self.run.take() {
            run.close();
        }
        node.directory.set_domain(&self.spec.name, None);
    }

    /// Ends entities that are no longer assigned, ways in first. They are dropped, or go on at `moved`, a host:port. What
    /// they hand over they hand over together.
    pub(crate) async fn remove(
        &mut self,
        gone: Vec<EntityName>,
        moved: Option<&Arc<str>>,
        node: &Surroundings,
    ) {
        let of = |kind| gone.iter().filter(move |entity| entity.kind == kind);
        let ingestors = of(ExecutedKind::Ingestor).filter_map(|entity| self.ingestors.remove(&entity.name));
        join_all(ingestors.map(|slot| slot.remove(moved, node))).await;
        let run = self.run.as_deref();
        let emitters = of(ExecutedKind::Emitter).filter_map(|entity| self.emitters.remove(&entity.name));
        join_all(emitters.map(|slot| slot.remove(moved, run, node))).await;
    }

    /// Takes new and newer entities in, without starting them; equal generations stay untouched, older ones are
    /// refused. Ways in are closed before what they feed changes; what is replaced is replaced together.
    pub(crate) async fn take(&mut self, specs: Vec<EntitySpec>, node: &Surroundings) -> Vec<StartFailure> {
        let mut failures = Vec::new();
        let (mut ingestors, mut emitters) = (BTreeMap::new(), BTreeMap::new());
        for EntitySpec {
            entity,
            generation,
            definition,
        } in specs
        {
            let known = match &definition {
                Executed::Ingestor(def) => self.ingestors.get(&entity.name).map(|slot| {
                    let same = slot.generation == generation && slot.def == *def;
                    (slot.generation, same)
                }),
                Executed::Emitter(def) => self.emitters.get(&entity.name).map(|slot| {
                    let same = slot.generation == generation && slot.def == *def;
                    (slot.generation, same)
                }),
            };
            match (known, definition) {
                (Some((newer, _)), _) if newer > generation => {
                    failures.push(outdated(&entity, generation, newer));
                }
                (Some((_, true)), _) => {}
                (Some(_), Executed::Ingestor(def)) => {
                    ingestors.insert(entity.name, (generation, def));
                }
                (Some(_), Executed::Emitter(def)) => {
                    emitters.insert(entity.name, (generation, def));
                }
                (None, Executed::Ingestor(def)) => {
                    let name = Arc::clone(&entity.name);
                    let slot = IngestorSlot::new(entity, generation, def, node);
                    self.ingestors.insert(name, slot);
                }
                (None, Executed::Emitter(def)) => {
                    let name = Arc::clone(&entity.name);
                    let slot = EmitterSlot::new(entity, generation, def, node);
                    self.emitters.insert(name, slot);
                }
            }
        }
        let run = self.run.as_deref();
        let replaced = self.ingestors.iter_mut().filter_map(|(name, slot)| {
            let newer = ingestors.remove(name)?;
            Some(slot.replace(newer, run, node))
        });
        join_all(replaced).await;
        let replaced = self.emitters.iter_mut().filter_map(|(name, slot)| {
            let newer = emitters.remove(name)?;
            Some(slot.replace(newer, run, node))
        });
        join_all(replaced).await;
        failures
    }

    /// Starts what is assigned and does not run, when the domain is started. Ways in that are in `held` stay gated.
    pub(crate) async fn start(
        &mut self,
        held: &BTreeSet<EntityName>,
        unread: &Unread,
        node: &Surroundings,
    ) -> Vec<StartFailure> {
        if !self.spec.running {
            return Vec::new();
        }
        let run = Arc::clone(self.run.get_or_insert_with(|| {
            let clock = self.spec.clock(&node.clock);
            let key = FingerprintKey::new(&self.spec.name, self.spec.fingerprint_key);
            let states = RelayStates {
                store: node.states.clone(),
                domain: DomainId::new(&key.incarnation()),
                budget: node.state_budget.clone(),
            };
            Arc::new(DomainRelays::new(clock, key, node.supervisor.clone()).with_states(states))
        }));
        let mut failures = Vec::new();
        let mut broken = BTreeMap::new();
        for (name, slot) in &mut self.emitters {
            if let Err(message) = slot.start(&run, node).await {
                failures.push(failure(&slot.entity, slot.generation, message.clone()));
                broken.insert(Arc::clone(name), message);
            }
        }
        let blocked = self.blocked(&broken, unread);
        for slot in self.ingestors.values_mut() {
            let started = match blocked.reason(&slot.def) {
                Some(why) => {
                    slot.block().await;
                    Err(why.clone())
                }
                None => {
                    let started = slot.start(&run, node).await;
                    if started.is_err() {
                        slot.fail().await;
                    }
                    started
                }
            };
            if let Err(message) = started {
                failures.push(failure(&slot.entity, slot.generation, message));
            }
        }
        // Only now that nothing of what it waited for can pass: seats that nobody empties would fill for ever.
        for slot in broken.keys().filter_map(|name| self.emitters.get(name)) {
            slot.give_up_seats(&[], &run);
        }
        self.retain(&run);
        node.directory.set_domain(&self.spec.name, Some(run));
        for slot in self.ingestors.values() {
            match held.contains(&slot.entity) {
                true => slot.gate(),
                false => slot.open(),
            }
        }
        failures
    }

    fn blocked(&self, broken: &BTreeMap<Arc<str>, String>, unread: &Unread) -> Blocked {
        let unreadable = unread
            .emitters(&self.spec.name)
            .find(|entity| !self.emitters.contains_key(&entity.name));
        let emitters: Vec<&EmitterDef> = self.emitters.values().map(|slot| &*slot.def).collect();
        Blocked::by(unreadable.map(|entity| &entity.name), broken, &emitters)
    }

    /// Whether everything that is assigned runs, or the domain is not to run.
    pub(crate) fn runs_all(&self, unread: &Unread) -> bool {
        let all = || {
            !unread.concerns(&self.spec.name)
                && self.ingestors.values().all(IngestorSlot::runs)
                && self.emitters.values().all(EmitterSlot::runs)
        };
        !self.spec.running || all()
    }

    /// A relay of its run.
    pub(crate) fn relay(&self, name: &str) -> Option<Arc<Relay>> {
        self.run.as_ref()?.find(name)
    }

    /// Whether its run goes on.
    pub(crate) fn is_running(&self) -> bool {
        self.run.is_some()
    }

    /// Every entity with its generation.
    pub(crate) fn holdings(&self) -> Vec<(EntityName, u64)> {
        let ingestors = self
            .ingestors
            .values()
            .map(|slot| (slot.entity.clone(), slot.generation));
        let emitters = self
            .emitters
            .values()
            .map(|slot| (slot.entity.clone(), slot.generation));
        ingestors.chain(emitters).collect()
    }

    /// The emitters in rounds: each comes in a later round than those that feed it through an error relay.
    pub(crate) fn emitters_in_rounds(&self) -> Vec<Vec<&EmitterSlot>> {
        let mut waiting: Vec<&EmitterSlot> = self.emitters.values().collect();
        let mut rounds = Vec::new();
        while !waiting.is_empty() {
            let feeds: BTreeSet<&str> = waiting.iter().filter_map(|slot| error_relay(slot)).collect();
            let reads = |slot: &&EmitterSlot| {
                slot.def
                    .sources
                    .iter()
                    .any(|source| feeds.contains(source.relay.name.as_str()))
            };
            let (later, now): (Vec<_>, Vec<_>) = waiting.into_iter().partition(reads);
            if now.is_empty() {
                // A ring, which the checker refuses: any order is as good.
                rounds.push(later);
                break;
            }
            rounds.push(now);
            waiting = later;
        }
        rounds
    }

    /// The materialized relays that its entities refer to, whether or not it runs.
    pub(crate) fn materialized(&self) -> Vec<(DomainId, String)> {
        let key = FingerprintKey::new(&self.spec.name, self.spec.fingerprint_key);
        let domain = DomainId::new(&key.incarnation());
        let relays = self.relays().into_iter().filter(|relay| relay.materialized);
        relays.map(|relay| (domain.clone(), relay.name.clone())).collect()
    }

    fn relays(&self) -> Vec<&Arc<RelayDef>> {
        let mut relays: Vec<&Arc<RelayDef>> = Vec::new();
        for slot in self.ingestors.values() {
            relays.extend(relays_of_ingestor(&slot.def));
        }
        for slot in self.emitters.values() {
            relays.extend(relays_of_emitter(&slot.def));
        }
        relays
    }

    fn retain(&self, run: &DomainRelays) {
        let relays = self.relays();
        let names = relays.iter().map(|relay| relay.name.as_str()).collect();
        let branches = relays.iter().filter_map(|relay| relay.branch.as_ref());
        run.retain(&names, &branches.map(|branch| branch.name.as_str()).collect());
    }
}

fn failure(entity: &EntityName, generation: u64, message: String) -> StartFailure {
    StartFailure {
        entity: entity.clone(),
        generation,
        message,
    }
}

fn outdated(entity: &EntityName, generation: u64, known: u64) -> StartFailure {
    let why = format!("generation {generation} is older than generation {known}, which is executed here");
    failure(entity, generation, why)
}

fn error_relay(slot: &EmitterSlot) -> Option<&str> {
    error_relay_of(&slot.def.on_message_error).map(|relay| relay.name.as_str())
}
