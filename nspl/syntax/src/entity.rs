//! What CREATE makes: the entities, and the kinds that DROP, SHOW and DESCRIBE name.

use crate::expression::Expr;
use crate::grammar::{Rule, choice_of, flag, keyword, name};
use crate::printer::{Print, Printer};
use crate::{branch, client, codec, domain, emitter, ingestor, relay, resource, schema, wire_schema};
use chumsky::prelude::{Parser, choice};
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

pub(crate) fn create_rule<'t>(expression: &Rule<'t, Expr>) -> Rule<'t, Create> {
    let entity = choice((
        schema::rule().map(Entity::Schema).boxed(),
        branch::rule().map(Entity::Branch).boxed(),
        relay::rule().map(Entity::Relay).boxed(),
        emitter::rule(expression)
            .map(|emitter| Entity::Emitter(Box::new(emitter)))
            .boxed(),
        ingestor::rule(expression)
            .map(|ingestor| Entity::Ingestor(Box::new(ingestor)))
            .boxed(),
        client::rule()
            .map(|client| Entity::Client(Box::new(client)))
            .boxed(),
        codec::rule().map(Entity::Codec).boxed(),
        wire_schema::rule().map(Entity::WireSchema).boxed(),
        resource::rule().map(Entity::Resource).boxed(),
        domain::rule().map(Entity::Domain).boxed(),
    ));
    let parts = keyword("CREATE").ignore_then(flag("IF NOT EXISTS")).then(entity);
    parts
        .map(|(if_not_exists, entity)| Create {
            if_not_exists,
            entity,
        })
        .boxed()
}

/// `<KIND> name` for every kind.
pub(crate) fn reference<'t>() -> Rule<'t, EntityRef> {
    reference_of(&Kind::ALL)
}

/// `<KIND> name` for every kind but DOMAIN.
pub(crate) fn reference_but_domain<'t>() -> Rule<'t, EntityRef> {
    let kinds: Vec<Kind> = Kind::ALL
        .into_iter()
        .filter(|kind| *kind != Kind::Domain)
        .collect();
    reference_of(&kinds)
}

fn reference_of<'t>(kinds: &[Kind]) -> Rule<'t, EntityRef> {
    let kinds: Vec<_> = kinds.iter().map(|kind| choice_of(kind.as_str(), *kind)).collect();
    choice(kinds)
        .then(name("a name"))
        .map(|(kind, name)| EntityRef { kind, name })
        .boxed()
}

impl Print for Create {
    fn print(&self, printer: &mut Printer) {
        printer.put(if self.if_not_exists {
            "CREATE IF NOT EXISTS "
        } else {
            "CREATE "
        });
        match &self.entity {
            Entity::Domain(entity) => entity.print(printer),
            Entity::Schema(entity) => entity.print(printer),
            Entity::WireSchema(entity) => entity.print(printer),
            Entity::Codec(entity) => entity.print(printer),
            Entity::Branch(entity) => entity.print(printer),
            Entity::Relay(entity) => entity.print(printer),
            Entity::Resource(entity) => entity.print(printer),
            Entity::Client(entity) => entity.print(printer),
            Entity::Ingestor(entity) => entity.print(printer),
            Entity::Emitter(entity) => entity.print(printer),
        }
    }
}

impl Print for EntityRef {
    fn print(&self, printer: &mut Printer) {
        printer.put(self.kind.as_str()).put(" ").node(&self.name);
    }
}
