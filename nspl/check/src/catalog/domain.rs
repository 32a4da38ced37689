//! The entities of one domain and who refers to whom.

use std::sync::Arc;

use nspl_model::{DomainDef, EntityKey};

use super::Entity;
use super::shared_map::SharedMap;

#[derive(Clone)]
pub(crate) struct DomainCatalog {
    pub(crate) definition: Arc<DomainDef>,
    pub(crate) entity: Arc<Entity>,
    pub(crate) entities: SharedMap<EntityKey, Arc<Entity>>,
    /// Also of names that do not exist: while a transaction is open, a reference may come before its target.
    pub(crate) dependents: SharedMap<EntityKey, SharedMap<EntityKey, ()>>,
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
        }
    }

    pub(crate) fn apply(&mut self, change: DomainChange) {
        for key in change.removed {
            if let Some(gone) = self.entities.remove(&key) {
                self.unlink(&gone);
            }
        }
        for entity in change.defined {
            for target in entity.refers.iter() {
                let mut users = self.dependents.remove(target).unwrap_or_default();
                users.insert(entity.key.clone(), ());
                self.dependents.insert(target.clone(), users);
            }
            if let Some(before) = self.entities.insert(entity.key.clone(), entity.clone()) {
                self.unlink_all_but(&before, &entity);
            }
        }
    }

    fn unlink(&mut self, entity: &Entity) {
        for target in entity.refers.iter() {
            self.forget(target, &entity.key);
        }
    }

    fn unlink_all_but(&mut self, before: &Entity, after: &Entity) {
        for target in before
            .refers
            .iter()
            .filter(|target| !after.refers.contains(target))
        {
            self.forget(target, &before.key);
        }
    }

    fn forget(&mut self, target: &EntityKey, user: &EntityKey) {
        let mut users = self.dependents.remove(target).unwrap_or_default();
        users.remove(user);
        if !users.is_empty() {
            self.dependents.insert(target.clone(), users);
        }
    }
}
