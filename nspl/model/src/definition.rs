//! What an entity is, whatever its kind.

use std::sync::Arc;

use crate::{
    BranchDef, ClientDef, CodecDef, DomainDef, EmitterDef, EntityKind, IngestorDef, RelayDef, ResourceDef,
    Schema, WireSchemaDef,
};

/// The definition of one entity; cheap to clone.
#[derive(Clone, PartialEq, Debug)]
pub enum Definition {
    /// DOMAIN.
    Domain(Arc<DomainDef>),
    /// SCHEMA.
    Schema(Arc<Schema>),
    /// WIRE JSON, CBOR or AVRO SCHEMA.
    WireSchema(Arc<WireSchemaDef>),
    /// CODEC.
    Codec(Arc<CodecDef>),
    /// BRANCH.
    Branch(Arc<BranchDef>),
    /// RELAY.
    Relay(Arc<RelayDef>),
    /// RESOURCE.
    Resource(Arc<ResourceDef>),
    /// CLIENT.
    Client(Arc<ClientDef>),
    /// INGESTOR.
    Ingestor(Arc<IngestorDef>),
    /// EMITTER.
    Emitter(Arc<EmitterDef>),
}

impl Definition {
    /// What it is.
    pub fn kind(&self) -> EntityKind {
        match self {
            Definition::Domain(_) => EntityKind::Domain,
            Definition::Schema(_) => EntityKind::Schema,
            Definition::WireSchema(wire) => wire.format.entity_kind(),
            Definition::Codec(_) => EntityKind::Codec,
            Definition::Branch(_) => EntityKind::Branch,
            Definition::Relay(_) => EntityKind::Relay,
            Definition::Resource(_) => EntityKind::Resource,
            Definition::Client(_) => EntityKind::Client,
            Definition::Ingestor(_) => EntityKind::Ingestor,
            Definition::Emitter(_) => EntityKind::Emitter,
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Definition::Domain(domain) => &domain.name,
            Definition::Schema(schema) => &schema.name,
            Definition::WireSchema(wire) => &wire.name,
            Definition::Codec(codec) => &codec.name,
            Definition::Branch(branch) => &branch.name,
            Definition::Relay(relay) => &relay.name,
            Definition::Resource(resource) => &resource.name,
            Definition::Client(client) => &client.name,
            Definition::Ingestor(ingestor) => &ingestor.name,
            Definition::Emitter(emitter) => &emitter.name,
        }
    }
}
