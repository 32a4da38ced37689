//! Classes of change (companion section 14), derived from the difference between the stored and the candidate graph.

use std::fmt;
use std::sync::Arc;

use nspl_model::EntityKey;

use crate::Entity;

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
    /// What that takes.
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
