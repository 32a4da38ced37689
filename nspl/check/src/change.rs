//! Classes of change (companion section 14), derived from the difference between the stored and the candidate graph.

mod class;

use std::fmt;
use std::sync::Arc;

use nspl_model::EntityKey;

use crate::catalog::DomainChange;
use crate::{Catalog, Entity};

/// What has to happen to running entities so that a change can take effect; later ones include earlier ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ChangeClass {
    /// Nothing that runs is touched.
    None,
    /// Installed live; pending rows stay.
    Dynamic,
    /// The entity's inputs are gated, it drains, and it is replaced or removed.
    EntityPause,
    /// The ways in stop, everything drains, and the domain goes on with the new graph.
    DomainPause,
}

/// One entity that is not the same afterwards.
#[derive(Clone, Debug)]
pub struct Change {
    /// Which.
    pub key: EntityKey,
    /// As it was; `None`: created.
    pub before: Option<Arc<Entity>>,
    /// As it will be; `None`: dropped.
    pub after: Option<Arc<Entity>>,
    /// What that takes; of a change by reference, what the change of the thing referred to takes.
    pub class: ChangeClass,
    /// Whether its own statement changed.
    pub cause: Cause,
}

/// Why an entity is not the same afterwards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// Its own text changed.
    Statement,
    /// Something that it refers to changed.
    Reference,
}

impl fmt::Display for ChangeClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ChangeClass::None => "NONE",
            ChangeClass::Dynamic => "DYNAMIC",
            ChangeClass::EntityPause => "ENTITY_PAUSE",
            ChangeClass::DomainPause => "DOMAIN_PAUSE",
        })
    }
}

/// What differs after a change of a domain, sorted by key.
pub(crate) fn changes(catalog: &Catalog, domain: &str, change: &DomainChange) -> Vec<Change> {
    let mut found = Vec::new();
    for key in &change.removed {
        if let Some(before) = catalog.get(domain, key) {
            let class = class::class(Some(before), None);
            let before = Some(before.clone());
            found.push(Change {
                key: key.clone(),
                before,
                after: None,
                class,
                cause: Cause::Statement,
            });
        }
    }
    for after in &change.defined {
        let before = catalog.get(domain, &after.key);
        if before.is_some_and(|before| before.says_the_same(after) && before.definition == after.definition) {
            continue;
        }
        let cause = match before {
            Some(before) if before.says_the_same(after) => Cause::Reference,
            _ => Cause::Statement,
        };
        let class = class::class(before, Some(after));
        let (before, key) = (before.cloned(), after.key.clone());
        found.push(Change {
            key,
            before,
            after: Some(after.clone()),
            class,
            cause,
        });
    }
    found.sort_by(|a, b| a.key.cmp(&b.key));
    found
}
