//! What is assigned and could not be read: it is remembered until it is read or taken away.
//!
//! Invariants: while a domain is unread, what is assigned of it is laid aside and what is here goes on as it was; once it
//! is read, what was laid aside is taken in. A pure book: it starts and ends nothing.

use std::collections::BTreeMap;

use super::spec::{ChangeSet, EntityName, EntitySpec, ExecutedKind, StartFailure};

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Unread {
    /// Why the state of a domain could not be read.
    domains: BTreeMap<String, String>,
    /// The last that was assigned of these domains; no more entries than assigned entities.
    aside: BTreeMap<EntityName, EntitySpec>,
    /// Entities whose definition could not be read, or whose domain nobody assigned.
    entities: BTreeMap<EntityName, StartFailure>,
}

impl Unread {
    /// Takes out of a change what belongs to unread domains, and puts into it what was laid aside of domains that it
    /// lets read.
    pub(crate) fn sift(&mut self, change: &mut ChangeSet) {
        if change.full {
            *self = Self::default();
        }
        for name in &change.removed_domains {
            self.domains.remove(name);
            self.aside.retain(|entity, _| *entity.domain != **name);
            self.entities.retain(|entity, _| *entity.domain != **name);
        }
        for domain in &change.domains {
            self.domains.remove(&domain.name);
        }
        self.domains.append(&mut change.unreadable_domains);
        for entity in &change.removed {
            self.aside.remove(entity);
            self.entities.remove(entity);
        }
        for spec in &change.entities {
            self.entities.remove(&spec.entity);
        }
        for failure in change.unreadable.drain(..) {
            self.aside.remove(&failure.entity);
            self.note(failure);
        }
        let domains = &self.domains;
        let unread = |entity: &EntityName| domains.contains_key(&*entity.domain);
        let (waits, read) = std::mem::take(&mut self.aside)
            .into_values()
            .partition::<Vec<_>, _>(|spec| unread(&spec.entity));
        let (aside, entities) = std::mem::take(&mut change.entities)
            .into_iter()
            .partition::<Vec<_>, _>(|spec| unread(&spec.entity));
        // In the order in which they were assigned, so that generations fence as ever.
        change.entities = read.into_iter().chain(entities).collect();
        for spec in waits.into_iter().chain(aside) {
            let known = self.aside.get(&spec.entity);
            if known.is_none_or(|known| known.generation <= spec.generation) {
                self.aside.insert(spec.entity.clone(), spec);
            }
        }
    }

    /// Remembers an entity that cannot be taken in.
    pub(crate) fn note(&mut self, failure: StartFailure) {
        self.entities.insert(failure.entity.clone(), failure);
    }

    /// Whether nothing is unread.
    pub(crate) fn is_empty(&self) -> bool {
        self.domains.is_empty() && self.entities.is_empty()
    }

    /// Whether any domain is unread.
    pub(crate) fn has_any_domain(&self) -> bool {
        !self.domains.is_empty()
    }

    /// Whether a domain is unread.
    pub(crate) fn has_domain(&self, name: &str) -> bool {
        self.domains.contains_key(name)
    }

    /// Whether a domain, or an entity of it, is unread.
    pub(crate) fn concerns(&self, domain: &str) -> bool {
        self.has_domain(domain) || self.entities.keys().any(|entity| *entity.domain == *domain)
    }

    /// Whether an entity is assigned, although nothing of it was taken in.
    pub(crate) fn is_assigned(&self, entity: &EntityName) -> bool {
        self.entities.contains_key(entity) || self.aside.contains_key(entity)
    }

    /// The emitters of a domain of which the last definition is not known or not taken in.
    pub(crate) fn emitters<'a>(&'a self, domain: &'a str) -> impl Iterator<Item = &'a EntityName> {
        let entities = self.entities.keys().chain(self.aside.keys());
        entities.filter(move |entity| entity.kind == ExecutedKind::Emitter && *entity.domain == *domain)
    }

    /// Says so of everything that is unread, and of what is `held` of unread domains.
    pub(crate) fn failures(&self, held: Vec<(EntityName, u64)>) -> Vec<StartFailure> {
        let assigned = self
            .aside
            .values()
            .map(|spec| (spec.entity.clone(), spec.generation));
        let concerned: BTreeMap<EntityName, u64> = held.into_iter().chain(assigned).collect();
        let of_domains = concerned.into_iter().filter_map(|(entity, generation)| {
            let reason = self.domains.get(&*entity.domain)?;
            Some(StartFailure {
                message: format!("its domain cannot be read, so that it stays as it was: {reason}"),
                entity,
                generation,
            })
        });
        let mut failures: BTreeMap<EntityName, StartFailure> = of_domains
            .map(|failure| (failure.entity.clone(), failure))
            .collect();
        failures.extend(self.entities.clone());
        failures.into_values().collect()
    }
}
