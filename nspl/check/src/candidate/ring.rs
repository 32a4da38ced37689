//! Rings of error relays: a record that fails must not come back to where it failed (rulings section 3).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use nspl_model::{Definition, EmitterDef, EntityKey, EntityKind, MessagePolicy};

use crate::Diagnostic;
use crate::rules;
use crate::world::{Slot, World};

/// Every ring that an emitter of this transaction closes, each once. Linear in what can be reached from them.
pub(super) fn rings(world: &World<'_>, resolved: BTreeSet<&EntityKey>) -> Vec<Diagnostic> {
    let users = fresh_users(world, &resolved);
    let graph = Graph { world, users };
    let mut walk = Walk {
        graph: &graph,
        colours: BTreeMap::new(),
        path: Vec::new(),
        faults: Vec::new(),
    };
    let starts = resolved
        .into_iter()
        .filter(|key| matches!(world.overlay.get(key), Some(Slot::Defined(_))));
    for emitter in starts.filter_map(|key| graph.emitter(key)) {
        for source in &emitter.sources {
            walk.from(&source.relay.name);
        }
    }
    walk.faults
}

/// Source relay to emitters, for the emitters of this transaction: the catalog does not know them yet.
fn fresh_users(world: &World<'_>, resolved: &BTreeSet<&EntityKey>) -> BTreeMap<String, Vec<EntityKey>> {
    let mut users: BTreeMap<String, Vec<EntityKey>> = BTreeMap::new();
    for key in resolved {
        if let Some(Some(Definition::Emitter(emitter))) = world.resolved.get(*key) {
            for source in &emitter.sources {
                users
                    .entry(source.relay.name.clone())
                    .or_default()
                    .push((*key).clone());
            }
        }
    }
    users
}

struct Graph<'w> {
    world: &'w World<'w>,
    users: BTreeMap<String, Vec<EntityKey>>,
}

/// From a relay, by an emitter that reads it, to the relay of its errors.
struct Edge {
    emitter: EntityKey,
    to: String,
}

impl Graph<'_> {
    fn emitter(&self, key: &EntityKey) -> Option<Arc<EmitterDef>> {
        let definition = match self.world.resolved.get(key) {
            Some(resolved) => resolved.clone(),
            None if self.world.touches(key) => None,
            None => self
                .world
                .catalog
                .get(self.world.domain, key)
                .map(|entity| entity.definition.clone()),
        };
        match definition {
            Some(Definition::Emitter(emitter)) => Some(emitter),
            _ => None,
        }
    }

    fn edges(&self, relay: &str) -> Vec<Edge> {
        let stored = self
            .world
            .catalog
            .dependents(self.world.domain, &EntityKey::new(EntityKind::Relay, relay));
        let stored = stored
            .into_iter()
            .filter(|key| !self.world.resolved.contains_key(key));
        let fresh = self.users.get(relay).into_iter().flatten().cloned();
        let mut edges = Vec::new();
        for key in stored.chain(fresh) {
            let Some(emitter) = self.emitter(&key) else {
                continue;
            };
            let reads = emitter.sources.iter().any(|source| source.relay.name == relay);
            if let MessagePolicy::SendTo(route) = &emitter.on_message_error
                && reads
            {
                edges.push(Edge {
                    emitter: key,
                    to: route.relay.name.clone(),
                });
            }
        }
        edges
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Colour {
    OnPath,
    Done,
}

struct Walk<'g, 'w> {
    graph: &'g Graph<'w>,
    colours: BTreeMap<String, Colour>,
    /// The relays from the start, each with the edges that are still to be walked.
    path: Vec<(String, Vec<Edge>, Option<EntityKey>)>,
    faults: Vec<Diagnostic>,
}

impl Walk<'_, '_> {
    fn from(&mut self, relay: &str) {
        self.enter(relay, None);
        while let Some((relay, edges, _)) = self.path.last_mut() {
            match edges.pop() {
                None => {
                    self.colours.insert(relay.clone(), Colour::Done);
                    self.path.pop();
                }
                Some(edge) if self.colours.get(&edge.to) == Some(&Colour::OnPath) => self.report(&edge),
                Some(edge) => self.enter(&edge.to, Some(edge.emitter)),
            }
        }
    }

    fn enter(&mut self, relay: &str, by: Option<EntityKey>) {
        if self.colours.contains_key(relay) {
            return;
        }
        self.colours.insert(relay.to_owned(), Colour::OnPath);
        self.path.push((relay.to_owned(), self.graph.edges(relay), by));
    }

    fn report(&mut self, last: &Edge) {
        let start = self
            .path
            .iter()
            .position(|(relay, ..)| *relay == last.to)
            .unwrap_or_default();
        let ring: Vec<String> = self
            .path
            .iter()
            .skip(start)
            .map(|(relay, ..)| relay.clone())
            .collect();
        let by = self
            .path
            .iter()
            .skip(start + 1)
            .filter_map(|(.., by)| by.clone())
            .chain([last.emitter.clone()]);
        let emitters: Vec<EntityKey> = by.collect();
        // A ring is closed by a statement of this transaction: before it there was none.
        let statement = emitters
            .iter()
            .find_map(|key| match self.graph.world.overlay.get(key) {
                Some(Slot::Defined(defined)) => Some((defined.statement.clone(), error_clause(defined))),
                _ => None,
            });
        if let Some((statement, clause)) = statement {
            self.faults.push(rules::error_ring::fault(
                clause.unwrap_or(statement),
                &ring,
                &emitters,
            ));
        }
    }
}

fn error_clause(defined: &crate::world::Defined) -> Option<std::ops::Range<usize>> {
    match &*defined.tree {
        nspl_syntax::entity::Entity::Emitter(emitter) => {
            Some(emitter.on_message_error.span.range()).filter(crate::stored::in_script)
        }
        _ => None,
    }
}
