//! `ALTER <KIND> name <operation>, ...` (emitters.txt "Altering emitters", rulings section 1). Operations apply in
//! written order.

pub mod client;
pub mod emitter;
pub mod relay;
pub mod schema;

use crate::entity::Kind;
use crate::name::Name;
use crate::wire_schema::WireFormat;

use self::client::AlterClient;
use self::emitter::AlterEmitter;
use self::relay::AlterRelay;
use self::schema::{AlterSchema, AlterWireSchema};

/// An ALTER statement: each variant has the operations of its kind, at least one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Alter {
    /// What is altered.
    pub name: Name,
    /// How.
    pub operations: AlterOperations,
}

/// The operations of an ALTER statement.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AlterOperations {
    /// `ALTER EMITTER`
    Emitter(Vec<AlterEmitter>),
    /// `ALTER RELAY`
    Relay(Vec<AlterRelay>),
    /// `ALTER SCHEMA`
    Schema(Vec<AlterSchema>),
    /// `ALTER WIRE <format> SCHEMA`
    WireSchema(WireFormat, Vec<AlterWireSchema>),
    /// `ALTER CLIENT`
    Client(Vec<AlterClient>),
}

impl Alter {
    /// The kind of the altered entity.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        match &self.operations {
            AlterOperations::Emitter(_) => Kind::Emitter,
            AlterOperations::Relay(_) => Kind::Relay,
            AlterOperations::Schema(_) => Kind::Schema,
            AlterOperations::WireSchema(format, _) => Kind::WireSchema(*format),
            AlterOperations::Client(_) => Kind::Client,
        }
    }
}
