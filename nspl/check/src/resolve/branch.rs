//! BRANCH.

use std::sync::Arc;

use nspl_model::BranchDef;
use nspl_syntax::branch as tree;

use super::Resolver;
use crate::quantity::{duration, positive_u32};
use crate::rules;

impl Resolver<'_> {
    pub(super) fn branch_definition(&mut self, tree: &tree::Branch) -> Option<Arc<BranchDef>> {
        let schema = self.schema(&tree.schema);
        if let Some(schema) = &schema {
            let lists = schema.fields.iter().filter(|field| field.data_type.is_list());
            let faults = lists.map(|field| rules::branch_key_type::fault(tree.schema.span, field));
            self.faults.extend(faults.collect::<Vec<_>>());
        }
        let ttl = duration(&tree.ttl, "TTL", &mut self.faults);
        let bound = tree.max_instances.as_ref();
        let max_instances = bound
            .map(|bound| positive_u32(bound, "MAX INSTANCES", u32::MAX, &mut self.faults))
            .unwrap_or(Some(0));
        Some(Arc::new(BranchDef {
            name: tree.name.text.clone(),
            schema: schema?,
            ttl: ttl?,
            max_instances: bound.and(Some(max_instances?)),
        }))
    }
}
