//! The keys of the stored entries.
//!
//! `format`, `domain/<name>`, `entity/<domain>/<KIND>/<name>`, `run/<domain>`, `fingerprint/<domain>`,
//! `resource/<domain>/<name>/<version, 20 digits>`, `node/<name>`, `placement`.

use std::sync::Arc;

use nspl::model::{EntityKey, EntityKind};

pub(crate) const FORMAT_KEY: &str = "format";

/// An entity of a domain.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct EntityRef {
    pub(crate) domain: Arc<str>,
    pub(crate) key: EntityKey,
}

impl EntityRef {
    pub(crate) fn new(domain: impl Into<Arc<str>>, key: EntityKey) -> Self {
        Self {
            domain: domain.into(),
            key,
        }
    }

    /// Whether a worker executes it.
    pub(crate) fn is_executed(&self) -> bool {
        matches!(self.key.kind, EntityKind::Ingestor | EntityKind::Emitter)
    }
}

/// What a stored key stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum KeyKind {
    Format,
    Entity(EntityRef),
    Run(String),
    Fingerprint(String),
    Resource {
        domain: String,
        name: String,
        version: u64,
    },
    Node(String),
    Placement,
}

impl KeyKind {
    /// `None` for a key that this release does not know.
    pub(crate) fn parse(key: &str) -> Option<Self> {
        let mut parts = key.split('/');
        let parsed = match (parts.next()?, parts.next(), parts.next(), parts.next()) {
            ("format", None, None, None) => Self::Format,
            ("placement", None, None, None) => Self::Placement,
            ("domain", Some(name), None, None) => {
                Self::Entity(EntityRef::new(name, EntityKey::new(EntityKind::Domain, name)))
            }
            ("run", Some(domain), None, None) => Self::Run(domain.into()),
            ("fingerprint", Some(domain), None, None) => Self::Fingerprint(domain.into()),
            ("node", Some(name), None, None) => Self::Node(name.into()),
            ("entity", Some(domain), Some(kind), Some(name)) => Self::Entity(EntityRef::new(
                domain,
                EntityKey::new(EntityKind::from_words(kind)?, name),
            )),
            ("resource", Some(domain), Some(name), Some(version)) => Self::Resource {
                domain: domain.into(),
                name: name.into(),
                version: version.parse().ok()?,
            },
            _ => return None,
        };
        parts.next().is_none().then_some(parsed)
    }
}

pub(crate) fn entity_key(domain: &str, key: &EntityKey) -> String {
    match key.kind {
        EntityKind::Domain => format!("domain/{}", key.name),
        kind => format!("entity/{domain}/{}/{}", kind.words(), key.name),
    }
}

pub(crate) fn run_key(domain: &str) -> String {
    format!("run/{domain}")
}

pub(crate) fn fingerprint_key(domain: &str) -> String {
    format!("fingerprint/{domain}")
}

pub(crate) fn resource_prefix(domain: &str) -> String {
    format!("resource/{domain}/")
}

pub(crate) fn resource_key(domain: &str, name: &str, version: u64) -> String {
    format!("resource/{domain}/{name}/{version:020}")
}

pub(crate) fn node_key(name: &str) -> String {
    format!("node/{name}")
}

pub(crate) fn placement_key() -> String {
    "placement".into()
}

#[cfg(test)]
mod tests {
    use nspl::model::{EntityKey, EntityKind};

    use super::{EntityRef, KeyKind, entity_key, resource_key, run_key};

    #[test]
    fn stored_keys_read_back() {
        for kind in EntityKind::ALL {
            let key = EntityKey::new(kind, "n");
            let domain = if kind == EntityKind::Domain { "n" } else { "d" };
            let stored = entity_key(domain, &key);
            assert_eq!(
                KeyKind::parse(&stored),
                Some(KeyKind::Entity(EntityRef::new(domain, key))),
                "{stored}"
            );
        }
        assert_eq!(KeyKind::parse(&run_key("d")), Some(KeyKind::Run("d".into())));
        let resource = KeyKind::Resource {
            domain: "d".into(),
            name: "r".into(),
            version: 7,
        };
        assert_eq!(KeyKind::parse(&resource_key("d", "r", 7)), Some(resource));
        for unknown in ["", "entity/d/NOVELTY/x", "entity/d/RELAY/x/y", "later/x"] {
            assert_eq!(KeyKind::parse(unknown), None, "{unknown}");
        }
    }
}
