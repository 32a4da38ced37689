//! ALTER: a tree and the operations that change it (rulings section 1).

mod emitter;
mod overwritten;
mod parts;
mod schema;
mod wire_schema;

use nspl_syntax::Span;
use nspl_syntax::alter::AlterOperations;
use nspl_syntax::alter::client::AlterClient;
use nspl_syntax::alter::relay::AlterRelay;
use nspl_syntax::client::Client;
use nspl_syntax::entity::Entity as Tree;
use nspl_syntax::relay::Relay;
use nspl_syntax::schema::{Field, Schema};
use nspl_syntax::wire_schema::{WireField, WireSchema};

use emitter::AlteringEmitter;
pub(super) use overwritten::Overwritten;
use parts::{Parts, Refusal};

use crate::rules;

/// What became of the operations of a statement.
pub(super) struct Applied {
    /// What is said of each that was refused.
    pub(super) refused: Vec<Refusal>,
    /// What some of the others say that the tree no longer holds behind them.
    pub(super) overwritten: Vec<Overwritten>,
}

/// A tree while statements alter it, one after the other. What it is made of is taken apart once, so that many of them
/// take time that grows with their number, however long the tree is.
pub(super) enum Altering {
    Relay(Relay),
    Schema(Schema, Parts<Field>),
    WireSchema(WireSchema, Parts<WireField>),
    Emitter(AlteringEmitter),
    Client(Box<Client>),
    /// There is no ALTER of it.
    Other(Tree),
}

impl Altering {
    pub(super) fn of(tree: Tree) -> Altering {
        match tree {
            Tree::Relay(relay) => Altering::Relay(relay),
            Tree::Schema(mut schema) => {
                let fields = schema::fields(&mut schema);
                Altering::Schema(schema, fields)
            }
            Tree::WireSchema(mut schema) => {
                let fields = wire_schema::fields(&mut schema);
                Altering::WireSchema(schema, fields)
            }
            Tree::Emitter(emitter) => Altering::Emitter(AlteringEmitter::of(emitter)),
            Tree::Client(client) => Altering::Client(client),
            other => Altering::Other(other),
        }
    }

    /// Applies the operations of a statement, left to right (rulings section 1); what cannot be done is left out.
    pub(super) fn apply(&mut self, operations: &AlterOperations, statement: Span) -> Applied {
        let refused = match (self, operations) {
            (Altering::Relay(relay), AlterOperations::Relay(operations)) => {
                for AlterRelay::SetCapacity { capacity, .. } in operations {
                    relay.capacity = Some(capacity.clone());
                }
                Vec::new()
            }
            (Altering::Schema(_, fields), AlterOperations::Schema(operations)) => {
                schema::apply(fields, operations)
            }
            (Altering::WireSchema(schema, fields), AlterOperations::WireSchema(_, operations)) => {
                wire_schema::apply(schema, fields, operations)
            }
            (Altering::Emitter(emitter), AlterOperations::Emitter(operations)) => {
                return overwritten::apply(emitter, operations);
            }
            (Altering::Client(client), AlterOperations::Client(operations)) => {
                for operation in operations {
                    match operation {
                        AlterClient::SetConfig(config) => client.config = config.clone(),
                        AlterClient::SetMount(mount) => client.mount = Some(mount.clone()),
                    }
                }
                Vec::new()
            }
            _ => vec![Some(rules::unsupported::fault(statement, "this ALTER"))],
        };
        Applied {
            refused,
            overwritten: Vec::new(),
        }
    }

    pub(super) fn finish(self) -> Tree {
        match self {
            Altering::Relay(relay) => Tree::Relay(relay),
            Altering::Schema(schema, fields) => Tree::Schema(Schema {
                fields: fields.finish(),
                ..schema
            }),
            Altering::WireSchema(schema, fields) => Tree::WireSchema(WireSchema {
                fields: fields.finish(),
                ..schema
            }),
            Altering::Emitter(emitter) => Tree::Emitter(emitter.finish()),
            Altering::Client(client) => Tree::Client(client),
            Altering::Other(tree) => tree,
        }
    }
}
