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

    /// The same client with each `{{ resource }}` of its CONFIG replaced by `folder`, where the files of its MOUNT are.
    pub fn mounted(&self, folder: &str) -> ClientDef {
        let mut mounted = self.clone();
        for (_, value) in &mut mounted.config {
            if let ConfigValue::Text(text) = value {
                *text = fill(text, folder);
            }
        }
        mounted
    }
}

/// The resources that a value of CONFIG names as `{{ resource }}`, in written order.
pub fn placeholders(text: &str) -> Vec<&str> {
    let parts = text.split("{{").skip(1);
    parts
        .filter_map(|part| part.split_once("}}"))
        .map(|(name, _)| name.trim())
        .collect()
}

fn fill(text: &str, folder: &str) -> String {
    let mut parts = text.split("{{");
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once("}}") {
            Some((_, rest)) => filled.extend([folder, rest]),
            None => filled.extend(["{{", part]),
        }
    }
    filled
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

#[cfg(test)]
mod tests {
    use super::{ClientDef, ClientKind, ConfigValue, placeholders};

    #[test]
    fn every_placeholder_becomes_the_folder_and_nothing_else_changes() {
        let text = |text: &str| ConfigValue::Text(text.to_owned());
        let config = [
            ("a", text("{{ tls }}/ca.pem")),
            ("b", text("x{{tls}}y{{ tls }}{{")),
            ("c", ConfigValue::Number("1".to_owned())),
        ];
        let client = ClientDef {
            name: "c".to_owned(),
            kind: ClientKind::Kafka,
            pool: None,
            mount: None,
            config: config.map(|(key, value)| (key.to_owned(), value)).into(),
        };
        assert_eq!(placeholders("x{{tls}}y{{ other }}{{"), ["tls", "other"]);
        let mounted = client.mounted("/r/1");
        assert_eq!(mounted.text("a"), Some("/r/1/ca.pem"));
        assert_eq!(mounted.text("b"), Some("x/r/1y/r/1{{"));
        assert_eq!(mounted.value("c"), client.value("c"));
    }
}
