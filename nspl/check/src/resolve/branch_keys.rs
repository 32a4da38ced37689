//! UNBRANCHED and BRANCHED BY of an ingestor's route.

use std::collections::HashMap;

use nspl_model::{Assignment, Expr, ExprKind, Literal, RelayDef};
use nspl_syntax::ingestor as tree;

use super::Resolver;
use super::construction::Route;
use crate::rules;

impl Resolver<'_> {
    /// One assignment per key field, in the order of the branch's schema; `Some(None)` for an unbranched relay.
    pub(super) fn branch_keys(
        &mut self,
        tree: &tree::Branching,
        relay: Option<&RelayDef>,
        route: Route<'_>,
    ) -> Option<Option<Vec<Assignment>>> {
        let env = route.finished();
        let Some(written) = &tree.branched_by else {
            let relay = relay?;
            if relay.branch.is_some() {
                self.faults.push(rules::branching::fault(tree.span, relay));
                return None;
            }
            return Some(None);
        };
        let branch = self.branch(&written.branch);
        if let (Some(relay), Some(branch)) = (relay, &branch)
            && relay.branch.as_ref().is_none_or(|own| own.name != branch.name)
        {
            self.faults.push(rules::branching::fault(tree.span, relay));
        }
        let schema = branch.as_ref().map(|branch| &*branch.schema);
        let found = self.assignments((&written.keys, tree.span), &env, schema, "the key")?;
        let branch = branch?;
        let mut found: HashMap<usize, Assignment> = found.into_iter().map(|key| (key.index, key)).collect();
        let keys = branch.schema.fields.iter().enumerate().map(|(index, field)| {
            found.remove(&index).unwrap_or_else(|| {
                let kind = ExprKind::Literal(Literal::Null);
                let data_type = field.data_type.clone();
                Assignment {
                    index,
                    expr: Expr {
                        data_type,
                        nullable: true,
                        sensitive: false,
                        kind,
                    },
                }
            })
        });
        Some(Some(keys.collect()))
    }
}
