//! The entities of one domain and who refers to whom.

use std::collections::BTreeSet;
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
    pub(crate) dependents: SharedMap<EntityKey, Arc<BTreeSet<EntityKey>>>,
}
