//! The catalog: an immutable snapshot of every domain and entity, cheap to clone and to change by a little.
//!
//! A clone shares everything. A change copies one path of a map (`shared_map`), so that a script of thousands of
//! statements stays linear. Beside the entities each domain keeps who refers to whom, in both directions.

mod domain;
mod entity;
mod shared_map;

use std::collections::BTreeSet;
use std::sync::Arc;

use nspl_model::{DomainDef, EntityKey, EntityKind};

use domain::DomainCatalog;
pub(crate) use domain::DomainChange;
pub use entity::Entity;
pub(crate) use shared_map::SharedMap;

/// A snapshot of all domains.
#[derive(Clone, Default)]
pub struct Catalog {
    domains: SharedMap<Arc<str>, Arc<DomainCatalog>>,
}

/// One difference between two catalogs.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Difference {
    /// The domain.
    pub domain: Arc<str>,
    /// The entity; a domain's own key has the kind DOMAIN.
    pub key: EntityKey,
    /// How it differs.
    pub kind: DifferenceKind,
}

/// How an entity differs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum DifferenceKind {
    /// Only the other catalog has it.
    Added,
    /// Only this catalog has it.
    Removed,
    /// Both have it, with different statements.
    Changed,
}

impl Catalog {
    /// The names of all domains, sorted.
    pub fn domains(&self) -> Vec<Arc<str>> {
        self.domains
            .sorted()
            .into_iter()
            .map(|(name, _)| name.clone())
            .collect()
    }

    /// The definition of a domain.
    pub fn domain(&self, domain: &str) -> Option<&Arc<DomainDef>> {
        self.domains.get(domain).map(|entry| &entry.definition)
    }

    /// The entity of a domain itself.
    pub fn domain_entity(&self, domain: &str) -> Option<&Arc<Entity>> {
        self.domains.get(domain).map(|entry| &entry.entity)
    }

    /// An entity; a key of kind DOMAIN finds the domain itself.
    pub fn get(&self, domain: &str, key: &EntityKey) -> Option<&Arc<Entity>> {
        match key.kind {
            EntityKind::Domain => self.domain_entity(&key.name),
            _ => self.domains.get(domain)?.entities.get(key),
        }
    }

    /// The entities of one kind, sorted by name; DOMAIN lists the domains.
    pub fn list(&self, domain: &str, kind: EntityKind) -> Vec<Arc<Entity>> {
        if kind == EntityKind::Domain {
            return self
                .domains
                .sorted()
                .into_iter()
                .map(|(_, entry)| entry.entity.clone())
                .collect();
        }
        let Some(entry) = self.domains.get(domain) else {
            return Vec::new();
        };
        let entities = entry.entities.iter().map(|(_, entity)| entity);
        let mut found: Vec<Arc<Entity>> = entities
            .filter(|entity| entity.key.kind == kind)
            .cloned()
            .collect();
        found.sort_by(|a, b| a.key.name.cmp(&b.key.name));
        found
    }

    /// How many entities a domain has beside itself, and one of them.
    pub(crate) fn some_entity(&self, domain: &str) -> Option<(usize, &Arc<Entity>)> {
        let entities = &self.domains.get(domain)?.entities;
        let (_, first) = entities.iter().next()?;
        Some((entities.len(), first))
    }

    /// Every entity of a domain but the domain itself, sorted by kind and name.
    pub fn entities(&self, domain: &str) -> Vec<Arc<Entity>> {
        let Some(entry) = self.domains.get(domain) else {
            return Vec::new();
        };
        entry
            .entities
            .sorted()
            .into_iter()
            .map(|(_, entity)| entity.clone())
            .collect()
    }

    /// What an entity refers to directly, sorted.
    pub fn dependencies(&self, domain: &str, key: &EntityKey) -> Vec<EntityKey> {
        self.get(domain, key)
            .map(|entity| entity.refers.to_vec())
            .unwrap_or_default()
    }

    /// What refers to an entity directly, sorted.
    pub fn dependents(&self, domain: &str, key: &EntityKey) -> Vec<EntityKey> {
        let links = self.domains.get(domain).map(|entry| &entry.dependents);
        linked(links.and_then(|links| links.get(key)))
    }

    /// The emitters that read a relay and send what fails to another, sorted.
    pub(crate) fn error_routes(&self, domain: &str, relay: &EntityKey) -> Vec<EntityKey> {
        let links = self.domains.get(domain).map(|entry| &entry.error_routes);
        linked(links.and_then(|links| links.get(relay)))
    }

    /// What an entity refers to, directly or not, each before what refers to it, and the entity itself last: the
    /// statements of an assignment. Empty when there is no such entity.
    pub fn closure(&self, domain: &str, key: &EntityKey) -> Vec<Arc<Entity>> {
        let mut seen = BTreeSet::new();
        let mut found = Vec::new();
        let mut open = vec![key.clone()];
        while let Some(key) = open.pop() {
            if !seen.insert(key.clone()) {
                continue;
            }
            if let Some(entity) = self.get(domain, &key) {
                open.extend(entity.refers.iter().cloned());
                found.push(entity.clone());
            }
        }
        // A kind refers to kinds before it in EntityKind::ALL only.
        found.sort_by_key(|entity| {
            (
                EntityKind::ALL.iter().position(|kind| *kind == entity.key.kind),
                entity.key.clone(),
            )
        });
        found
    }

    /// How the other catalog differs from this one, by statement, sorted.
    pub fn differences(&self, other: &Catalog) -> Vec<Difference> {
        let mut found = Vec::new();
        let names: BTreeSet<Arc<str>> = self.domains().into_iter().chain(other.domains()).collect();
        for domain in names {
            let keys = |catalog: &Catalog| {
                let own = catalog.domain_entity(&domain).cloned();
                own.into_iter()
                    .chain(catalog.entities(&domain))
                    .map(|entity| entity.key.clone())
                    .collect::<Vec<_>>()
            };
            let all: BTreeSet<EntityKey> = keys(self).into_iter().chain(keys(other)).collect();
            for key in all {
                let kind = match (self.get(&domain, &key), other.get(&domain, &key)) {
                    (None, _) => DifferenceKind::Added,
                    (_, None) => DifferenceKind::Removed,
                    (Some(a), Some(b)) if a.says_the_same(b) => continue,
                    _ => DifferenceKind::Changed,
                };
                found.push(Difference {
                    domain: domain.clone(),
                    key,
                    kind,
                });
            }
        }
        found
    }

    /// Adds a domain, or replaces what is said about one.
    pub(crate) fn define_domain(&mut self, definition: Arc<DomainDef>, entity: Arc<Entity>) {
        let name: Arc<str> = definition.name.as_str().into();
        let entry = match self.domains.get(&name) {
            Some(entry) => DomainCatalog {
                definition,
                entity,
                ..DomainCatalog::clone(entry)
            },
            None => DomainCatalog::new(definition, entity),
        };
        self.domains.insert(name, Arc::new(entry));
    }

    pub(crate) fn remove_domain(&mut self, domain: &str) {
        self.domains.remove(domain);
    }

    /// Changes a domain; nothing happens when there is none of that name.
    pub(crate) fn apply(&mut self, domain: &str, change: DomainChange) {
        // Taken out, so that what nobody else holds is changed in place.
        if let Some(mut entry) = self.domains.remove(domain) {
            Arc::make_mut(&mut entry).apply(change);
            self.domains.insert(domain.into(), entry);
        }
    }

    /// Number of entities, domains included.
    pub fn len(&self) -> usize {
        self.domains
            .iter()
            .map(|(_, entry)| entry.entities.len() + 1)
            .sum()
    }

    /// Whether there is no domain.
    pub fn is_empty(&self) -> bool {
        self.domains.is_empty()
    }
}

fn linked(users: Option<&SharedMap<EntityKey, ()>>) -> Vec<EntityKey> {
    let users = users.into_iter().flat_map(SharedMap::sorted);
    users.map(|(key, ())| key.clone()).collect()
}

impl std::fmt::Debug for Catalog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Catalog({} entities)", self.len())
    }
}

#[cfg(test)]
mod tests;
