//! `ALTER <KIND> name <operation>, ...` (emitters.txt "Altering emitters", rulings section 1). Operations apply in
//! written order.

pub mod client;
pub mod emitter;
pub mod relay;
pub mod schema;

use crate::entity::Kind;
use crate::expression::Expr;
use crate::grammar::{Rule, keyword, list, name};
use crate::name::Name;
use crate::printer::{Print, Printer};
use crate::wire_schema;
use crate::wire_schema::WireFormat;
use chumsky::prelude::{Parser, choice};

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

pub(crate) fn rule<'t>(expression: &Rule<'t, Expr>) -> Rule<'t, Alter> {
    let emitter = keyword("EMITTER")
        .ignore_then(name("an emitter name"))
        .then(list(emitter::rule(expression)));
    let relay = keyword("RELAY")
        .ignore_then(name("a relay name"))
        .then(list(relay::rule()));
    let schema = keyword("SCHEMA")
        .ignore_then(name("a schema name"))
        .then(list(schema::rule()));
    let client = keyword("CLIENT")
        .ignore_then(name("a client name"))
        .then(list(client::rule()));
    let wire = keyword("WIRE")
        .ignore_then(wire_schema::format())
        .then_ignore(keyword("SCHEMA"));
    let wire = wire
        .then(name("a wire schema name"))
        .then(list(schema::wire_rule()));
    let wire =
        wire.map(|((format, name), operations)| (name, AlterOperations::WireSchema(format, operations)));
    let kinds = choice((
        emitter
            .map(|(name, operations)| (name, AlterOperations::Emitter(operations)))
            .boxed(),
        relay
            .map(|(name, operations)| (name, AlterOperations::Relay(operations)))
            .boxed(),
        schema
            .map(|(name, operations)| (name, AlterOperations::Schema(operations)))
            .boxed(),
        client
            .map(|(name, operations)| (name, AlterOperations::Client(operations)))
            .boxed(),
        wire.boxed(),
    ));
    keyword("ALTER")
        .ignore_then(kinds)
        .map(|(name, operations)| Alter { name, operations })
        .boxed()
}

impl Print for Alter {
    fn print(&self, printer: &mut Printer) {
        printer
            .put("ALTER ")
            .put(self.kind().as_str())
            .put(" ")
            .node(&self.name)
            .line(2);
        match &self.operations {
            AlterOperations::Emitter(operations) => printer.column(2, operations),
            AlterOperations::Relay(operations) => printer.column(2, operations),
            AlterOperations::Schema(operations) => printer.column(2, operations),
            AlterOperations::WireSchema(_, operations) => printer.column(2, operations),
            AlterOperations::Client(operations) => printer.column(2, operations),
        };
    }
}
