//! ALTER: a tree with its operations applied, left to right (rulings section 1).

mod emitter;
mod schema;
mod wire_schema;

use nspl_syntax::Span;
use nspl_syntax::alter::AlterOperations;
use nspl_syntax::alter::client::AlterClient;
use nspl_syntax::alter::relay::AlterRelay;
use nspl_syntax::entity::Entity as Tree;

use crate::Diagnostic;
use crate::rules;

/// The tree after the operations; what cannot be done is reported and left out.
pub(super) fn altered(
    tree: &Tree,
    operations: &AlterOperations,
    statement: Span,
    faults: &mut Vec<Diagnostic>,
) -> Tree {
    let mut tree = tree.clone();
    match (&mut tree, operations) {
        (Tree::Relay(relay), AlterOperations::Relay(operations)) => {
            for AlterRelay::SetCapacity { capacity, .. } in operations {
                relay.capacity = Some(capacity.clone());
            }
        }
        (Tree::Schema(schema), AlterOperations::Schema(operations)) => {
            for operation in operations {
                faults.extend(schema::apply(schema, operation).err());
            }
        }
        (Tree::WireSchema(schema), AlterOperations::WireSchema(_, operations)) => {
            for operation in operations {
                faults.extend(wire_schema::apply(schema, operation).err());
            }
        }
        (Tree::Emitter(emitter), AlterOperations::Emitter(operations)) => {
            for operation in operations {
                faults.extend(emitter::apply(emitter, operation, statement).err());
            }
        }
        (Tree::Client(client), AlterOperations::Client(operations)) => {
            for operation in operations {
                match operation {
                    AlterClient::SetConfig(config) => client.config = config.clone(),
                    AlterClient::SetMount(mount) => client.mount = Some(mount.clone()),
                }
            }
        }
        _ => faults.push(rules::unsupported::fault(statement, "this ALTER")),
    }
    tree
}
