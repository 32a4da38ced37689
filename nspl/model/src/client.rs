//! CLIENT objects: how to reach an outside system (companion section 13, rulings section 8).

mod kafka;
mod kind;
mod table;

use std::fmt;

pub use kind::{BondTakes, ClientKey, ClientKind, ClientShape, KeyBond, KeyShape, TlsWhen};

/// A CLIENT definition. `Debug` shows no value of its configuration.
#[derive(Clone, PartialEq, Eq)]
pub struct ClientDef {
    /// Name in the domain.
    pub name: String,
    /// What it reaches.
    pub kind: ClientKind,
    /// POOL SIZE: least and most connections.
    pub pool: Option<(u32, u32)>,
    /// MOUNT.
    pub mount: Option<MountDef>,
    /// CONFIG, in written order, each key once.
    pub config: Vec<(String, ConfigValue)>,
}

/// The resource whose files a CONFIG may name as `{{ resource }}`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MountDef {
    /// The resource.
    pub resource: String,
    /// Its version, from 1; `None`: LATEST.
    pub version: Option<u64>,
}

/// A value of CONFIG.
#[derive(Clone, PartialEq, Eq)]
pub enum ConfigValue {
    /// A string.
    Text(String),
    /// A number as written.
    Number(String),
    /// TRUE or FALSE.
    Bool(bool),
}

impl ClientDef {
    /// The value of a key.
    pub fn value(&self, key: &str) -> Option<&ConfigValue> {
        self.config
            .iter()
            .find(|(known, _)| known == key)
            .map(|(_, value)| value)
    }

    /// The value of a key that is a string.
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.value(key) {
            Some(ConfigValue::Text(text)) => Some(text),
            _ => None,
        }
    }
}

impl fmt::Debug for ClientDef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys: Vec<&str> = self.config.iter().map(|(key, _)| key.as_str()).collect();
        f.debug_struct("ClientDef")
            .field("name", &self.name)
            .field("kind", &self.kind)
            .field("config", &keys)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for ConfigValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ConfigValue(..)")
    }
}
