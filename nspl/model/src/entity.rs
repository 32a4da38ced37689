//! Kinds of entities and the key under which a catalog keeps one.

use std::fmt;
use std::sync::Arc;

/// What can be created in a domain, and the domain itself. Names are unique per kind (rulings section 1).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum EntityKind {
    /// DOMAIN.
    Domain,
    /// SCHEMA.
    Schema,
    /// WIRE JSON SCHEMA.
    WireJsonSchema,
    /// WIRE CBOR SCHEMA.
    WireCborSchema,
    /// WIRE AVRO SCHEMA.
    WireAvroSchema,
    /// CODEC.
    Codec,
    /// BRANCH.
    Branch,
    /// RELAY.
    Relay,
    /// RESOURCE.
    Resource,
    /// CLIENT.
    Client,
    /// INGESTOR.
    Ingestor,
    /// EMITTER.
    Emitter,
}

impl EntityKind {
    /// Every kind, in the order in which things can refer to one another.
    pub const ALL: [EntityKind; 12] = [
        EntityKind::Domain,
        EntityKind::Schema,
        EntityKind::WireJsonSchema,
        EntityKind::WireCborSchema,
        EntityKind::WireAvroSchema,
        EntityKind::Resource,
        EntityKind::Codec,
        EntityKind::Branch,
        EntityKind::Relay,
        EntityKind::Client,
        EntityKind::Ingestor,
        EntityKind::Emitter,
    ];

    /// The words of NSPL, singular.
    pub fn words(self) -> &'static str {
        match self {
            EntityKind::Domain => "DOMAIN",
            EntityKind::Schema => "SCHEMA",
            EntityKind::WireJsonSchema => "WIRE JSON SCHEMA",
            EntityKind::WireCborSchema => "WIRE CBOR SCHEMA",
            EntityKind::WireAvroSchema => "WIRE AVRO SCHEMA",
            EntityKind::Codec => "CODEC",
            EntityKind::Branch => "BRANCH",
            EntityKind::Relay => "RELAY",
            EntityKind::Resource => "RESOURCE",
            EntityKind::Client => "CLIENT",
            EntityKind::Ingestor => "INGESTOR",
            EntityKind::Emitter => "EMITTER",
        }
    }

    /// The words of NSPL, plural, as SHOW takes them.
    pub fn plural(self) -> String {
        match self {
            EntityKind::Branch => "BRANCHES".to_owned(),
            other => format!("{}S", other.words()),
        }
    }

    /// Finds a kind by its words, in any case.
    pub fn from_words(words: &str) -> Option<EntityKind> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.words().eq_ignore_ascii_case(words))
    }
}

impl fmt::Display for EntityKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}

/// An entity of one domain; `Display` is `RELAY orders`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct EntityKey {
    /// What it is.
    pub kind: EntityKind,
    /// Its name.
    pub name: Arc<str>,
}

impl EntityKey {
    /// A key from its parts.
    pub fn new(kind: EntityKind, name: impl Into<Arc<str>>) -> EntityKey {
        EntityKey {
            kind,
            name: name.into(),
        }
    }
}

impl fmt::Display for EntityKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind, self.name)
    }
}
