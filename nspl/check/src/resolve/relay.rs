//! RELAY.

use std::sync::Arc;

use nspl_model::{DEFAULT_CAPACITY, RelayDef};
use nspl_syntax::relay as tree;

use super::Resolver;
use crate::quantity::positive_u32;

/// CAPACITY goes up to this many batches (rulings section 2).
pub(crate) const CAPACITY_MAX: u32 = 1_000_000;

impl Resolver<'_> {
    pub(super) fn relay_definition(&mut self, tree: &tree::Relay) -> Option<Arc<RelayDef>> {
        let schema = self.schema(&tree.schema);
        let branch = match &tree.branched_by {
            Some(name) => self.branch(name).map(Some),
            None => Some(None),
        };
        let capacity = match &tree.capacity {
            Some(number) => positive_u32(number, "CAPACITY", CAPACITY_MAX, &mut self.faults),
            None => Some(DEFAULT_CAPACITY),
        };
        if tree.materialized {
            self.holds_state(tree.name.span, "WITH MATERIALIZED STATE");
        }
        Some(Arc::new(RelayDef {
            name: tree.name.text.clone(),
            schema: schema?,
            branch: branch?,
            capacity: capacity?,
            materialized: tree.materialized,
        }))
    }
}
