//! USING MATERIALIZED STATE.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use nspl_model::{Dependency, Literal, RelayDef, Resolution, Schema};
use nspl_syntax::Span;
use nspl_syntax::assignment::Map;
use nspl_syntax::emitter::dependency as tree;

use super::{Boundary, Resolver, Target};
use crate::expression::{Environment, Record};
use crate::nearest::not_meant;
use crate::rules;
use crate::settings::MATERIALIZED_STATE;

/// Relays with their schemas; `None` when a fault hides one.
pub(super) type StateSchemas<'t> = Vec<(&'t str, Option<Arc<Schema>>)>;

/// The branches of an emitter's sources.
#[derive(Clone, Copy)]
pub(super) struct Branches<'a> {
    first: Option<&'a RelayDef>,
    /// The first source whose branch is another one than that of the first.
    second: Option<&'a RelayDef>,
}

impl<'a> Branches<'a> {
    pub(super) fn of(sources: &'a [Arc<RelayDef>]) -> Branches<'a> {
        let mut sources = sources.iter().map(|source| &**source);
        let first = sources.next();
        let second = sources.find(|source| branch(source) != first.and_then(branch));
        Branches { first, second }
    }

    /// A source that is not of the branch of the relay.
    fn other_than(self, relay: &RelayDef) -> Option<&'a RelayDef> {
        let mut different = self.first.into_iter().chain(self.second);
        different.find(|source| branch(source) != branch(relay))
    }
}

fn branch(relay: &RelayDef) -> Option<&str> {
    relay.branch.as_ref().map(|branch| branch.name.as_str())
}

impl Resolver<'_> {
    /// The dependencies, and the relays that `relay_state` can read with their schemas, known or not.
    pub(super) fn dependencies<'t>(
        &mut self,
        trees: &'t [tree::Dependency],
        sources: &[Arc<RelayDef>],
    ) -> (Option<Vec<Dependency>>, StateSchemas<'t>) {
        if let Some(first) = trees.first() {
            self.holds_state(first.relay.span, "USING MATERIALIZED STATE");
        }
        let branches = Branches::of(sources);
        let mut states = Vec::new();
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
            states.push((tree.relay.text.as_str(), schema));
            let relay = relay.filter(|relay| self.can_depend(tree, relay, branches));
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

    fn can_depend(&mut self, tree: &tree::Dependency, relay: &RelayDef, branches: Branches<'_>) -> bool {
        if !relay.materialized {
            self.faults
                .push(rules::dependency_relay::not_materialized(&tree.relay));
            return false;
        }
        self.same_branch(&tree.relay, relay, branches)
    }

    /// Whether a relay is of the same branch as every source (emitters.txt "Branch Semantics").
    pub(super) fn same_branch(
        &mut self,
        name: &nspl_syntax::Name,
        relay: &RelayDef,
        branches: Branches<'_>,
    ) -> bool {
        match branches.other_than(relay) {
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
        let record = schema.map(Record::of);
        let keys: HashSet<&str> = entries.iter().map(|entry| entry.key.value.as_str()).collect();
        for entry in entries {
            let index = record
                .as_ref()
                .and_then(|record| record.index_of(&entry.key.value));
            if let Some(record) = &record
                && index.is_none()
            {
                self.faults.push(rules::unknown_field::of_key(&entry.key, record));
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
        let is_known = |key: &str| {
            record
                .as_ref()
                .is_some_and(|record| record.index_of(key).is_some())
        };
        let unknown = keys.iter().copied().filter(|key| !is_known(key));
        let missing = not_meant(missing.collect(), unknown);
        if !missing.is_empty() {
            self.faults
                .push(rules::unset_field::in_default(map.span, schema, &missing));
        }
        let complete = self.is_clean_since(faults_before);
        complete.then(|| {
            values
                .into_iter()
                .map(|value| value.unwrap_or(Literal::Null))
                .collect()
        })
    }
}
