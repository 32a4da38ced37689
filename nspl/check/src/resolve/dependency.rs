//! USING MATERIALIZED STATE.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use nspl_model::{Dependency, Literal, RelayDef, Resolution, Schema};
use nspl_syntax::Span;
use nspl_syntax::assignment::Map;
use nspl_syntax::emitter::dependency as tree;

use super::{Boundary, Resolver, Target};
use crate::expression::{Environment, State};
use crate::nearest::not_meant;
use crate::rules;
use crate::settings::MATERIALIZED_STATE;

impl Resolver<'_> {
    /// The dependencies, and what `relay_state` can read, known or not.
    pub(super) fn dependencies(
        &mut self,
        trees: &[tree::Dependency],
        sources: &[Arc<RelayDef>],
    ) -> (Option<Vec<Dependency>>, Vec<State>) {
        if let Some(first) = trees.first() {
            self.holds_state(first.relay.span, "USING MATERIALIZED STATE");
        }
        let mut states: Vec<State> = Vec::new();
        let mut found = Vec::new();
        let mut seen: HashMap<&str, Span> = HashMap::new();
        for tree in trees {
            if let Some(before) = seen.get(tree.relay.text.as_str()) {
                self.faults
                    .push(rules::dependency_relay::doubled(&tree.relay, *before));
                continue;
            }
            seen.insert(&tree.relay.text, tree.relay.span);
            let relay = self.relay(&tree.relay);
            let schema = relay.as_ref().map(|relay| relay.schema.clone());
            let resolution = self.resolution(&tree.policy, schema.as_deref());
            states.push(State {
                relay: tree.relay.text.clone(),
                schema,
            });
            let relay = relay.filter(|relay| self.can_depend(tree, relay, sources));
            found.push(
                relay
                    .zip(resolution)
                    .map(|(relay, resolution)| Dependency { relay, resolution }),
            );
        }
        let complete = found.len() == trees.len();
        (
            found.into_iter().collect::<Option<Vec<_>>>().filter(|_| complete),
            states,
        )
    }

    /// Refuses what needs materialized state where no worker holds it.
    pub(super) fn holds_state(&mut self, place: Span, clause: &str) {
        if !self.world.can_run(self.owner, MATERIALIZED_STATE) {
            self.faults
                .push(rules::state_available::fault(place, self.owner, clause));
        }
    }

    fn can_depend(&mut self, tree: &tree::Dependency, relay: &RelayDef, sources: &[Arc<RelayDef>]) -> bool {
        if !relay.materialized {
            self.faults
                .push(rules::dependency_relay::not_materialized(&tree.relay));
            return false;
        }
        self.same_branch(&tree.relay, relay, sources)
    }

    /// Whether a relay is of the same branch as every source (emitters.txt "Branch Semantics").
    pub(super) fn same_branch(
        &mut self,
        name: &nspl_syntax::Name,
        relay: &RelayDef,
        sources: &[Arc<RelayDef>],
    ) -> bool {
        let branch = |relay: &RelayDef| relay.branch.as_ref().map(|branch| branch.name.clone());
        match sources.iter().find(|source| branch(source) != branch(relay)) {
            None => true,
            Some(source) => {
                self.faults
                    .push(rules::branch_compatibility::fault(name.span, relay, source));
                false
            }
        }
    }

    fn resolution(&mut self, policy: &tree::DependencyPolicy, schema: Option<&Schema>) -> Option<Resolution> {
        match policy {
            tree::DependencyPolicy::RequiredWait => Some(Resolution::Wait),
            tree::DependencyPolicy::RequiredSkip => Some(Resolution::Skip),
            tree::DependencyPolicy::Default(map) => self.default_record(map, schema).map(Resolution::Default),
        }
    }

    fn default_record(&mut self, map: &Map, schema: Option<&Schema>) -> Option<Vec<Literal>> {
        let faults_before = self.faults.len();
        let mut values: Vec<Option<Literal>> = schema
            .map(|schema| vec![None; schema.fields.len()])
            .unwrap_or_default();
        let env = Environment::constant();
        let entries = self.unique_entries(map);
        let places = schema.map(Schema::places).unwrap_or_default();
        let keys: HashSet<&str> = entries.iter().map(|entry| entry.key.value.as_str()).collect();
        for entry in entries {
            let index = places.get(entry.key.value.as_str()).copied();
            if let Some(schema) = schema
                && index.is_none()
            {
                self.faults.push(rules::unknown_field::of_key(&entry.key, schema));
            }
            let field = index
                .zip(schema)
                .and_then(|(index, schema)| schema.fields.get(index));
            let target = Target {
                field,
                what: "DEFAULT",
                boundary: Boundary::Graph,
            };
            let typed = self.value(&env, &entry.value, target);
            if let Some(typed) = typed {
                if typed.constant.is_none() {
                    self.faults.push(rules::constant_expected::fault(typed.span));
                }
                if let Some(slot) = index.and_then(|index| values.get_mut(index)) {
                    *slot = typed.constant;
                }
            }
        }
        let schema = schema?;
        let unset = |field: &&nspl_model::Field| !field.optional && !keys.contains(field.name.as_str());
        let missing = schema
            .fields
            .iter()
            .filter(unset)
            .map(|field| field.name.as_str());
        let unknown = keys.iter().copied().filter(|key| !places.contains_key(key));
        let missing = not_meant(missing.collect(), unknown);
        if !missing.is_empty() {
            self.faults
                .push(rules::unset_field::in_default(map.span, schema, &missing));
        }
        let complete = self.faults.len() == faults_before;
        complete.then(|| {
            values
                .into_iter()
                .map(|value| value.unwrap_or(Literal::Null))
                .collect()
        })
    }
}
