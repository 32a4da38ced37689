//! ALTER: a tree with its operations applied, left to right (rulings section 1).

mod emitter;
mod overwritten;
mod parts;
mod schema;
mod wire_schema;

use nspl_syntax::Span;
use nspl_syntax::alter::AlterOperations;
use nspl_syntax::alter::client::AlterClient;
use nspl_syntax::alter::relay::AlterRelay;
use nspl_syntax::entity::Entity as Tree;

use emitter::Altering;
pub(super) use overwritten::Overwritten;

use crate::Diagnostic;
use crate::rules;

/// A tree after the operations, and what some of them say that it no longer holds; what cannot be done is reported
/// and left out.
pub(super) fn altered(
    mut tree: Tree,
    operations: &AlterOperations,
    statement: Span,
    faults: &mut Vec<Diagnostic>,
) -> (Tree, Vec<Overwritten>) {
    let mut overwritten = Vec::new();
    match (&mut tree, operations) {
        (Tree::Relay(relay), AlterOperations::Relay(operations)) => {
            for AlterRelay::SetCapacity { capacity, .. } in operations {
                relay.capacity = Some(capacity.clone());
            }
        }
        (Tree::Schema(schema), AlterOperations::Schema(operations)) => {
            faults.extend(schema::apply(schema, operations));
        }
        (Tree::WireSchema(schema), AlterOperations::WireSchema(_, operations)) => {
            faults.extend(wire_schema::apply(schema, operations));
        }
        (Tree::Emitter(emitter), AlterOperations::Emitter(operations)) => {
            let hidden = overwritten::indices(operations);
            let mut held = Vec::new();
            let mut altering = Altering::of(emitter);
            for (index, operation) in operations.iter().enumerate() {
                faults.extend(altering.apply(operation).err());
                if hidden.contains(&index) {
                    held.push((operation, altering.to_emitter()));
                }
            }
            altering.finish();
            overwritten = overwritten::found(held, emitter);
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
    (tree, overwritten)
}
