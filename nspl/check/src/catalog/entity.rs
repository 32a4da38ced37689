//! One entity as the catalog keeps it.

use std::sync::Arc;

use nspl_model::{Definition, EntityKey};

/// An entity: its statement and what that means.
#[derive(Clone)]
pub struct Entity {
    /// Kind and name.
    pub key: EntityKey,
    /// Its CREATE statement, canonical and with its secrets: what the store keeps and workers receive.
    pub text: Arc<str>,
    /// What it means in this catalog.
    pub definition: Definition,
    /// What it refers to directly, sorted, each once.
    pub refers: Arc<[EntityKey]>,
}

impl Entity {
    /// Whether the statements mean the same, whatever they refer to.
    pub fn says_the_same(&self, other: &Entity) -> bool {
        self.text == other.text
    }
}

/// Shows no text: it holds secrets.
impl std::fmt::Debug for Entity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Entity({})", self.key)
    }
}
