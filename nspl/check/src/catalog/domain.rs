//! The entities of one domain and who refers to whom.

use std::collections::BTreeSet;
use std::sync::Arc;

use nspl_model::{Definition, DomainDef, EntityKey, EntityKind, MessagePolicy};

use super::Entity;
use super::shared_map::SharedMap;

/// Who uses something, by what is used.
type Links = SharedMap<EntityKey, SharedMap<EntityKey, ()>>;

#[derive(Clone)]
pub(crate) struct DomainCatalog {
    pub(crate) definition: Arc<DomainDef>,
    pub(crate) entity: Arc<Entity>,
    pub(crate) entities: SharedMap<EntityKey, Arc<Entity>>,
    /// Also of names that do not exist: while a transaction is open, a reference may come before its target.
    pub(crate) dependents: Links,
    /// Of a relay, the emitters that read it and send what fails to another: a relay may have many users and few of these.
    pub(crate) error_routes: Links,
}

/// What one commit changes in a domain.
pub(crate) struct DomainChange {
    pub(crate) removed: Vec<EntityKey>,
    pub(crate) defined: Vec<Arc<Entity>>,
}

impl DomainCatalog {
    pub(crate) fn new(definition: Arc<DomainDef>, entity: Arc<Entity>) -> DomainCatalog {
        DomainCatalog {
            definition,
            entity,
            entities: SharedMap::default(),
            dependents: SharedMap::default(),
            error_routes: SharedMap::default(),
        }
    }

    pub(crate) fn apply(&mut self, change: DomainChange) {
        for key in change.removed {
            if let Some(gone) = self.entities.remove(&key) {
                self.unlink_all_but(&gone, None);
            }
        }
        for entity in change.defined {
            for target in entity.refers.iter() {
                link(&mut self.dependents, target, &entity.key);
            }
            for source in routed(&entity) {
                link(&mut self.error_routes, &source, &entity.key);
            }
            if let Some(before) = self.entities.insert(entity.key.clone(), entity.clone()) {
                self.unlink_all_but(&before, Some(&entity));
            }
        }
    }

    /// Takes away what an entity was linked to, but for what it is linked to afterwards.
    fn unlink_all_but(&mut self, before: &Entity, after: Option<&Entity>) {
        let refers = after.map_or_else(BTreeSet::new, |after| after.refers.iter().collect());
        for target in before.refers.iter().filter(|target| !refers.contains(target)) {
            unlink(&mut self.dependents, target, &before.key);
        }
        let sources: BTreeSet<EntityKey> = after.into_iter().flat_map(routed).collect();
        for source in routed(before).filter(|source| !sources.contains(source)) {
            unlink(&mut self.error_routes, &source, &before.key);
        }
    }
}

/// The relays that an emitter reads, when it has an error route.
fn routed(entity: &Entity) -> impl Iterator<Item = EntityKey> {
    let emitter = match &entity.definition {
        Definition::Emitter(emitter) if matches!(emitter.on_message_error, MessagePolicy::SendTo(_)) => {
            Some(emitter)
        }
        _ => None,
    };
    let sources = emitter.into_iter().flat_map(|emitter| emitter.sources.iter());
    sources.map(|source| EntityKey::new(EntityKind::Relay, source.relay.name.as_str()))
}

fn link(links: &mut Links, target: &EntityKey, user: &EntityKey) {
    // Taken out, so that what nobody else holds is changed in place.
    let mut users = links.remove(target).unwrap_or_default();
    users.insert(user.clone(), ());
    links.insert(target.clone(), users);
}

fn unlink(links: &mut Links, target: &EntityKey, user: &EntityKey) {
    let mut users = links.remove(target).unwrap_or_default();
    users.remove(user);
    if !users.is_empty() {
        links.insert(target.clone(), users);
    }
}
