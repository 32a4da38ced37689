//! RESOURCE: literals and one-dimensional literal arrays.

use nspl_model::OtelResource;
use nspl_syntax::assignment::{Map, MapEntry};

use super::Resolver;
use crate::expression::{Environment, is_literal};
use crate::rules;

impl Resolver<'_> {
    pub(super) fn resource(&mut self, tree: Option<&Map>) -> Option<Vec<OtelResource>> {
        let Some(tree) = tree else {
            return Some(Vec::new());
        };
        let entries = self.map_entries(tree);
        let found: Vec<Option<OtelResource>> = entries
            .into_iter()
            .map(|entry| self.resource_entry(entry))
            .collect();
        found.into_iter().collect()
    }

    fn resource_entry(&mut self, entry: &MapEntry) -> Option<OtelResource> {
        if !is_literal(&entry.value) {
            self.faults.push(rules::otel_resource::fault(entry.value.span));
            return None;
        }
        let env = Environment::constant();
        let typed = self.typer(&env).literal(&entry.value)?;
        let what = format!("RESOURCE '{}'", entry.key.value);
        self.attribute_type(typed.span, &what, &typed.expr.data_type)?;
        Some(OtelResource {
            key: entry.key.value.clone(),
            data_type: typed.expr.data_type,
            value: typed.constant?,
        })
    }
}
