//! What CREATE makes: the entities, and the kinds that DROP, SHOW and DESCRIBE name.

use std::fmt;

use crate::branch::Branch;
use crate::client::Client;
use crate::codec::Codec;
use crate::domain::Domain;
use crate::emitter::Emitter;
use crate::ingestor::Ingestor;
use crate::name::Name;
use crate::relay::Relay;
use crate::resource::Resource;
use crate::schema::Schema;
use crate::wire_schema::{WireFormat, WireSchema};

/// `CREATE [IF NOT EXISTS] <entity>`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Create {
    /// Whether an existing entity is fine.
    pub if_not_exists: bool,
    /// What is created.
    pub entity: Entity,
}

/// A definition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Entity {
    /// A domain.
    Domain(Domain),
    /// A schema.
    Schema(Schema),
    /// A wire schema.
    WireSchema(WireSchema),
    /// A codec.
    Codec(Codec),
    /// A branch.
    Branch(Branch),
    /// A relay.
    Relay(Relay),
    /// A resource.
    Resource(Resource),
    /// A client.
    Client(Box<Client>),
    /// An ingestor.
    Ingestor(Box<Ingestor>),
    /// An emitter.
    Emitter(Box<Emitter>),
}

/// The kinds of entities; names are unique per kind within a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// `DOMAIN`
    Domain,
    /// `SCHEMA`
    Schema,
    /// `WIRE JSON SCHEMA`, `WIRE CBOR SCHEMA`, `WIRE AVRO SCHEMA`: three kinds.
    WireSchema(WireFormat),
    /// `CODEC`
    Codec,
    /// `BRANCH`
    Branch,
    /// `RELAY`
    Relay,
    /// `RESOURCE`
    Resource,
    /// `CLIENT`
    Client,
    /// `INGESTOR`
    Ingestor,
    /// `EMITTER`
    Emitter,
}

/// `<KIND> name`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EntityRef {
    /// The kind.
    pub kind: Kind,
    /// The name.
    pub name: Name,
}

impl Entity {
    /// The kind of the entity.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Domain(_) => Kind::Domain,
            Self::Schema(_) => Kind::Schema,
            Self::WireSchema(schema) => Kind::WireSchema(schema.format),
            Self::Codec(_) => Kind::Codec,
            Self::Branch(_) => Kind::Branch,
            Self::Relay(_) => Kind::Relay,
            Self::Resource(_) => Kind::Resource,
            Self::Client(_) => Kind::Client,
            Self::Ingestor(_) => Kind::Ingestor,
            Self::Emitter(_) => Kind::Emitter,
        }
    }

    /// The name of the entity.
    #[must_use]
    pub fn name(&self) -> &Name {
        match self {
            Self::Domain(entity) => &entity.name,
            Self::Schema(entity) => &entity.name,
            Self::WireSchema(entity) => &entity.name,
            Self::Codec(entity) => &entity.name,
            Self::Branch(entity) => &entity.name,
            Self::Relay(entity) => &entity.name,
            Self::Resource(entity) => &entity.name,
            Self::Client(entity) => &entity.name,
            Self::Ingestor(entity) => &entity.name,
            Self::Emitter(entity) => &entity.name,
        }
    }
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 12] = [
        Self::Domain,
        Self::Schema,
        Self::WireSchema(WireFormat::Json),
        Self::WireSchema(WireFormat::Cbor),
        Self::WireSchema(WireFormat::Avro),
        Self::Codec,
        Self::Branch,
        Self::Relay,
        Self::Resource,
        Self::Client,
        Self::Ingestor,
        Self::Emitter,
    ];

    /// The keywords of the singular, as DROP and DESCRIBE take them.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Domain => "DOMAIN",
            Self::Schema => "SCHEMA",
            Self::WireSchema(WireFormat::Json) => "WIRE JSON SCHEMA",
            Self::WireSchema(WireFormat::Cbor) => "WIRE CBOR SCHEMA",
            Self::WireSchema(WireFormat::Avro) => "WIRE AVRO SCHEMA",
            Self::Codec => "CODEC",
            Self::Branch => "BRANCH",
            Self::Relay => "RELAY",
            Self::Resource => "RESOURCE",
            Self::Client => "CLIENT",
            Self::Ingestor => "INGESTOR",
            Self::Emitter => "EMITTER",
        }
    }

    /// The keywords of the plural, as SHOW takes them.
    #[must_use]
    pub const fn plural(self) -> &'static str {
        match self {
            Self::Domain => "DOMAINS",
            Self::Schema => "SCHEMAS",
            Self::WireSchema(WireFormat::Json) => "WIRE JSON SCHEMAS",
            Self::WireSchema(WireFormat::Cbor) => "WIRE CBOR SCHEMAS",
            Self::WireSchema(WireFormat::Avro) => "WIRE AVRO SCHEMAS",
            Self::Codec => "CODECS",
            Self::Branch => "BRANCHES",
            Self::Relay => "RELAYS",
            Self::Resource => "RESOURCES",
            Self::Client => "CLIENTS",
            Self::Ingestor => "INGESTORS",
            Self::Emitter => "EMITTERS",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
