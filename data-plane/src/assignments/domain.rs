//! One assigned domain: its entities, and its run while it is started.
//!
//! Invariants: consumers are attached before any way in opens; STOP closes the ways in first, discards what is held and
//! tells writers UNRESOLVED; an entity that cannot start leaves the others running.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use nervix_relay::FingerprintKey;
use nspl_model::{MessagePolicy, RelayDef};

use super::{
    Surroundings,
    emitting::EmitterSlot,
    ingesting::IngestorSlot,
    spec::{DomainSpec, EntityName, EntitySpec, Executed, ExecutedKind, StartFailure},
};
use crate::{inlet::CloseReason, relays::DomainRelays};

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

    /// Takes a new state of the domain; stops it when that ends its run.
    pub(crate) async fn set(&mut self, spec: DomainSpec, node: &Surroundings) {
        let goes_on = spec.running && spec == self.spec;
        if self.run.is_some() && !goes_on {
            self.stop(node).await;
        }
        self.spec = spec;
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
        for ingestor in self.ingestors.values_mut() {
            ingestor.end().await;
        }
        for emitter in self.emitters.values_mut() {
            emitter.stop().await;
        }
        if let Some(run) = self.run.take() {
            run.close();
        }
        node.directory.set_domain(&self.spec.name, None);
    }

    /// Ends entities that are no longer assigned, ways in first.
    pub(crate) async fn remove(&mut self, gone: &[EntityName], node: &Surroundings) {
        for entity in gone.iter().filter(|entity| entity.kind == ExecutedKind::Ingestor) {
            if let Some(slot) = self.ingestors.remove(&entity.name) {
                slot.remove(node).await;
            }
        }
        for entity in gone.iter().filter(|entity| entity.kind == ExecutedKind::Emitter) {
            if let Some(slot) = self.emitters.remove(&entity.name) {
                slot.remove(node).await;
            }
        }
    }

    /// Takes new and newer entities in, without starting them; equal generations stay untouched.
    pub(crate) async fn take(&mut self, specs: Vec<EntitySpec>, node: &Surroundings) {
        // Ways in are closed before what they feed changes.
        let (ingestors, emitters): (Vec<_>, Vec<_>) = specs
            .into_iter()
            .partition(|spec| matches!(spec.definition, Executed::Ingestor(_)));
        for spec in ingestors.into_iter().chain(emitters) {
            match spec.definition {
                Executed::Ingestor(def) => match self.ingestors.get_mut(&spec.entity.name) {
                    Some(slot) if slot.generation == spec.generation && slot.def == def => {}
                    Some(slot) => slot.replace(spec.generation, def, node).await,
                    None => {
                        let name = Arc::clone(&spec.entity.name);
                        self.ingestors
                            .insert(name, IngestorSlot::new(spec.entity, spec.generation, def, node));
                    }
                },
                Executed::Emitter(def) => match self.emitters.get_mut(&spec.entity.name) {
                    Some(slot) if slot.generation == spec.generation && slot.def == def => {}
                    Some(slot) => slot.replace(spec.generation, def, node).await,
                    None => {
                        let name = Arc::clone(&spec.entity.name);
                        self.emitters
                            .insert(name, EmitterSlot::new(spec.entity, spec.generation, def, node));
                    }
                },
            }
        }
    }

    /// Starts what is assigned and does not run, when the domain is started.
    pub(crate) fn start(&mut self, node: &Surroundings) -> Vec<StartFailure> {
        if !self.spec.running {
            return Vec::new();
        }
        let run = Arc::clone(self.run.get_or_insert_with(|| {
            let clock = self.spec.clock(&node.clock);
            let key = FingerprintKey::new(&self.spec.name, self.spec.fingerprint_key);
            Arc::new(DomainRelays::new(clock, key, node.supervisor.clone()))
        }));
        let mut failures = Vec::new();
        for slot in self.emitters.values_mut() {
            if let Err(message) = slot.start(&run, node) {
                failures.push(failure(&slot.entity, slot.generation, message));
            }
        }
        for slot in self.ingestors.values_mut() {
            if let Err(message) = slot.start(&run, node) {
                failures.push(failure(&slot.entity, slot.generation, message));
            }
        }
        self.retain(&run);
        node.directory.set_domain(&self.spec.name, Some(run));
        self.ingestors.values().for_each(IngestorSlot::open);
        failures
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

    fn retain(&self, run: &DomainRelays) {
        let mut relays: Vec<&Arc<RelayDef>> = Vec::new();
        for slot in self.ingestors.values() {
            for route in &slot.def.routes {
                relays.push(&route.relay);
                relays.extend(error_relay_of(&route.on_message_error));
            }
        }
        for slot in self.emitters.values() {
            relays.extend(slot.def.sources.iter().map(|source| &source.relay));
            relays.extend(error_relay_of(&slot.def.on_message_error));
        }
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

fn error_relay(slot: &EmitterSlot) -> Option<&str> {
    error_relay_of(&slot.def.on_message_error).map(|relay| relay.name.as_str())
}

fn error_relay_of(policy: &MessagePolicy) -> Option<&Arc<RelayDef>> {
    match policy {
        MessagePolicy::SendTo(route) => Some(&route.relay),
        MessagePolicy::Ignore | MessagePolicy::Log => None,
    }
}
