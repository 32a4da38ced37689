//! Rings of error relays: a record that fails must not come back to where it failed (rulings section 3).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use nspl_model::{Definition, EmitterDef, EntityKey, EntityKind, MessagePolicy};

use crate::Diagnostic;
use crate::rules;
use crate::world::{Slot, World};

/// Every ring that an emitter of this transaction closes, each once. Linear in what can be reached from the error relays
/// of its emitters: of what else reads their sources nothing is looked at.
pub(super) fn rings(world: &World<'_>, resolved: BTreeSet<&EntityKey>) -> Vec<Diagnostic> {
    let users = fresh_users(world, &resolved);
    let graph = Graph { world, users };
    let mut walk = Walk {
        graph: &graph,
        colours: BTreeMap::new(),
        path: Vec::new(),
        faults: Vec::new(),
    };
    for relay in graph.users.keys() {
        walk.from(relay);
    }
    walk.faults
}

/// Source relay to emitters with an error route, for those that this transaction judges: the catalog does not know them as
/// they are now.
fn fresh_users(world: &World<'_>, resolved: &BTreeSet<&EntityKey>) -> BTreeMap<String, Vec<EntityKey>> {
    let mut users: BTreeMap<String, Vec<EntityKey>> = BTreeMap::new();
    for key in resolved {
        if let Some(Some(Definition::Emitter(emitter))) = world.resolved.get(*key)
            && matches!(emitter.on_message_error, MessagePolicy::SendTo(_))
        {
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

    /// By the emitters of this transaction alone.
    fn fresh_edges(&self, relay: &str) -> Vec<Edge> {
        let fresh = self.users.get(relay).into_iter().flatten();
        fresh.filter_map(|key| self.edge(key)).collect()
    }

    fn edges(&self, relay: &str) -> Vec<Edge> {
        let key = EntityKey::new(EntityKind::Relay, relay);
        let stored = self.world.catalog.error_routes(self.world.domain, &key);
        let stored = stored
            .iter()
            .filter(|key| !self.world.resolved.contains_key(*key));
        let mut edges: Vec<Edge> = stored.filter_map(|key| self.edge(key)).collect();
        edges.append(&mut self.fresh_edges(relay));
        edges
    }

    fn edge(&self, key: &EntityKey) -> Option<Edge> {
        let emitter = self.emitter(key)?;
        match &emitter.on_message_error {
            MessagePolicy::SendTo(route) => Some(Edge {
                emitter: key.clone(),
                to: route.relay.name.clone(),
            }),
            _ => None,
        }
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
    /// Walks from a relay by the emitters of this transaction, and on by all.
    fn from(&mut self, relay: &str) {
        if self.colours.contains_key(relay) {
            return;
        }
        self.enter(relay, self.graph.fresh_edges(relay), None);
        while let Some((relay, edges, _)) = self.path.last_mut() {
            match edges.pop() {
                None => {
                    self.colours.insert(relay.clone(), Colour::Done);
                    self.path.pop();
                }
                Some(edge) => match self.colours.get(&edge.to) {
                    Some(Colour::OnPath) => self.report(&edge),
                    Some(Colour::Done) => {}
                    None => {
                        let edges = self.graph.edges(&edge.to);
                        self.enter(&edge.to, edges, Some(edge.emitter));
                    }
                },
            }
        }
        // By other emitters it has not been left yet: who comes to it later has to.
        self.colours.remove(relay);
    }

    fn enter(&mut self, relay: &str, edges: Vec<Edge>, by: Option<EntityKey>) {
        self.colours.insert(relay.to_owned(), Colour::OnPath);
        self.path.push((relay.to_owned(), edges, by));
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
