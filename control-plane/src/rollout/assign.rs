//! The step that takes a worker from what it was sent to what a state assigns to it. Pure.

use std::{collections::BTreeMap, sync::Arc};

use nspl::model::{EntityKey, EntityKind};

use super::message::{AssignStep, Assigned, AssignedDomain};
use crate::catalog::{EntityRef, State};

/// Bytes of statements after which the next part of a step begins.
const PART_BYTES: usize = 256 * 1024;

/// What a worker was sent on its stream.
#[derive(Default)]
pub(super) struct Sent {
    begun: bool,
    domains: BTreeMap<Arc<str>, AssignedDomain>,
    entities: BTreeMap<EntityRef, u64>,
    moved_to: Option<String>,
}

impl Sent {
    /// Under which generation the worker was sent an entity.
    pub(super) fn generation(&self, entity: &EntityRef) -> Option<u64> {
        self.entities.get(entity).copied()
    }

    /// The step to `state` in parts, none when nothing changes; remembers it as sent.
    pub(super) fn advance(&mut self, state: &State, node: &str) -> Vec<AssignStep> {
        let owns = state
            .placement
            .as_ref()
            .is_some_and(|placement| placement.node == node);
        let wanted: BTreeMap<EntityRef, u64> = if owns {
            state
                .executed()
                .map(|(entity, generation)| (entity.clone(), generation))
                .collect()
        } else {
            BTreeMap::new()
        };
        let domains = domains(state);
        let step = AssignStep {
            revision: state.revision().0,
            full: !self.begun,
            domains: domains
                .values()
                .filter(|domain| self.domains.get(&domain.name) != Some(domain))
                .cloned()
                .collect(),
            removed_domains: self
                .domains
                .keys()
                .filter(|name| !domains.contains_key(*name))
                .cloned()
                .collect(),
            assignments: Vec::new(),
            removed: self
                .entities
                .keys()
                .filter(|entity| !wanted.contains_key(*entity))
                .cloned()
                .collect(),
            more: false,
            moved_to: elsewhere(state, node),
        };
        let changed = wanted
            .iter()
            .filter(|(entity, generation)| self.entities.get(*entity) != Some(*generation));
        let assignments: Vec<_> = changed
            .map(|(entity, generation)| assigned(state, entity, *generation))
            .collect();
        let idle = self.begun
            && step.moved_to == self.moved_to
            && step.domains.is_empty()
            && step.removed_domains.is_empty()
            && step.removed.is_empty()
            && assignments.is_empty();
        self.begun = true;
        self.domains = domains;
        self.entities = wanted;
        self.moved_to.clone_from(&step.moved_to);
        if idle {
            Vec::new()
        } else {
            parts(step, assignments)
        }
    }
}

/// The Flight address of the node that executes the graph, when it is not this one.
fn elsewhere(state: &State, node: &str) -> Option<String> {
    let placement = state
        .placement
        .as_ref()
        .filter(|placement| placement.node != node)?;
    let owner = state.nodes.get(placement.node.as_str())?;
    Some(owner.flight_address.clone())
}

fn domains(state: &State) -> BTreeMap<Arc<str>, AssignedDomain> {
    let names = state.catalog.domains();
    let domains = names.into_iter().filter_map(|name| {
        let entity = state
            .catalog
            .get(&name, &EntityKey::new(EntityKind::Domain, Arc::clone(&name)))?;
        let domain = AssignedDomain {
            statement: Arc::clone(&entity.text),
            run: state.run(&name),
            fingerprint_key: state.fingerprint(&name),
            name: Arc::clone(&name),
        };
        Some((name, domain))
    });
    domains.collect()
}

fn assigned(state: &State, entity: &EntityRef, generation: u64) -> Assigned {
    let closure = state.catalog.closure(&entity.domain, &entity.key);
    let statements = closure.into_iter().map(|part| Arc::clone(&part.text)).collect();
    Assigned {
        entity: entity.clone(),
        generation,
        statements,
    }
}

fn parts(first: AssignStep, assignments: Vec<Assigned>) -> Vec<AssignStep> {
    let (revision, full) = (first.revision, first.full);
    let mut parts = Vec::new();
    let (mut part, mut bytes) = (first, 0_usize);
    for assigned in assignments {
        if bytes >= PART_BYTES {
            part.more = true;
            parts.push(std::mem::replace(
                &mut part,
                AssignStep {
                    revision,
                    full,
                    ..AssignStep::default()
                },
            ));
            bytes = 0;
        }
        bytes += assigned
            .statements
            .iter()
            .map(|statement| statement.len())
            .sum::<usize>();
        part.assignments.push(assigned);
    }
    parts.push(part);
    parts
}
