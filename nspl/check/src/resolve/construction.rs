//! INHERIT, SET and the route's WHERE (companion section 5, rulings section 3).

use std::collections::{HashMap, HashSet};

use nspl_model::{Assignment, Construction, Field, Schema, Step};
use nspl_syntax::assignment::Assignment as TreeAssignment;
use nspl_syntax::construction as tree;
use nspl_syntax::{Name, Span};

use super::{Boundary, Resolver, Target};
use crate::expression::{Environment, Output, Place, Record, Row, States};
use crate::nearest::not_meant;
use crate::rules;

/// What a route reads and builds.
#[derive(Clone, Copy)]
pub(super) struct Route<'a> {
    pub(super) input: Row<'a>,
    pub(super) output: Row<'a>,
    /// Whether it builds a record at all; WITHOUT BODY does not.
    pub(super) constructs: bool,
    /// `None`: such a definition has no dependencies.
    pub(super) states: Option<&'a States<'a>>,
    pub(super) boundary: Boundary,
}

impl<'a> Route<'a> {
    fn environment(&self, place: Place, output: Output<'a>) -> Environment<'a> {
        let (input, states) = (self.input, self.states);
        Environment {
            place,
            input,
            output,
            states,
            partial_output: Output::None,
            error: None,
        }
    }

    /// What reads the finished record, or the source row where there is none.
    pub(super) fn finished(&self) -> Environment<'a> {
        match self.constructs {
            true => self.environment(Place::Finished, Output::Finished(self.output)),
            false => Environment::source_row(self.input, self.states),
        }
    }

    /// What an error route can read of the record that was attempted.
    pub(super) fn attempted(&self) -> Output<'a> {
        match self.constructs {
            true => Output::Finished(self.output),
            false => Output::None,
        }
    }

    fn field(&self, index: Option<usize>) -> Option<&'a Field> {
        index
            .zip(self.output)
            .and_then(|(index, output)| output.schema.fields.get(index))
    }
}

/// Whether a row that is known lacks the field.
fn lacks(row: Row<'_>, name: &str) -> bool {
    row.is_some_and(|record| record.index_of(name).is_none())
}

/// The fields that INHERIT and SET name.
fn written_fields(tree: &tree::Construction) -> impl Iterator<Item = &str> {
    let inherited = tree.inherit.iter().flat_map(|inherit| match &inherit.kind {
        tree::InheritKind::All { .. } => &[],
        tree::InheritKind::Fields(fields) => fields.as_slice(),
    });
    let set = tree.set.iter().map(|assignment| assignment.target.text.as_str());
    inherited.map(|field| field.name.text.as_str()).chain(set)
}

impl Resolver<'_> {
    pub(super) fn construction(
        &mut self,
        tree: &tree::Construction,
        route: Route<'_>,
    ) -> Option<Construction> {
        let faults_before = self.faults.len();
        if !route.constructs {
            return self.unconstructed(tree, route);
        }
        let mut set = vec![false; route.output.map_or(0, |output| output.schema.fields.len())];
        let mut steps = Vec::new();
        if let Some(inherit) = &tree.inherit {
            match &inherit.kind {
                tree::InheritKind::All { except } => {
                    self.inherit_all((except, inherit.span), route, &mut set, &mut steps);
                }
                tree::InheritKind::Fields(fields) => self.inherit_fields(fields, route, &mut set, &mut steps),
            }
        }
        for assignment in &tree.set {
            self.set(assignment, route, &mut set, &mut steps);
        }
        let filter = tree
            .filter
            .as_ref()
            .and_then(|filter| self.condition(&route.finished(), filter, "WHERE"));
        if let Some(Record { schema: output, .. }) = route.output {
            let unset = output
                .fields
                .iter()
                .zip(&set)
                .filter(|(field, set)| !field.optional && !**set);
            let unset = not_meant(
                unset.map(|(field, _)| field.name.as_str()).collect(),
                written_fields(tree).filter(|name| lacks(route.output, name)),
            );
            if !unset.is_empty() {
                self.faults
                    .push(rules::unset_field::fault(tree.span, output, &unset, route.input));
            }
        }
        let clean = self.is_clean_since(faults_before) && route.output.is_some() && route.input.is_some();
        clean.then(|| Construction {
            steps,
            filter: filter.map(|typed| typed.expr),
        })
    }

    /// WITHOUT BODY: WHERE alone.
    fn unconstructed(&mut self, tree: &tree::Construction, route: Route<'_>) -> Option<Construction> {
        let faults_before = self.faults.len();
        if let Some(inherit) = &tree.inherit {
            self.faults
                .push(rules::without_body::fault(inherit.span, "INHERIT"));
        }
        if let Some(first) = tree.set.first() {
            self.faults
                .push(rules::without_body::fault(first.target.span, "SET"));
        }
        let filter = tree
            .filter
            .as_ref()
            .and_then(|filter| self.condition(&route.finished(), filter, "WHERE"));
        let clean = self.is_clean_since(faults_before) && route.input.is_some();
        clean.then(|| Construction {
            steps: Vec::new(),
            filter: filter.map(|typed| typed.expr),
        })
    }

    fn inherit_all(
        &mut self,
        inherit: (&[Name], Span),
        route: Route<'_>,
        set: &mut [bool],
        steps: &mut Vec<Step>,
    ) {
        let (except, span) = inherit;
        let (Some(input), Some(output)) = (route.input, route.output) else {
            // What the input has is hidden, so anything may be set.
            set.fill(true);
            return;
        };
        for name in except {
            if lacks(route.input, &name.text) && lacks(route.output, &name.text) {
                let fault = rules::unknown_field::neither(name, input, output);
                self.faults.push(fault);
            }
        }
        let excepted: HashSet<&str> = except.iter().map(|name| name.text.as_str()).collect();
        for (index, field) in output.schema.fields.iter().enumerate() {
            let excepted = excepted.contains(field.name.as_str());
            let Some((at, source)) = input.find(&field.name).filter(|_| !excepted) else {
                continue;
            };
            if let Some(fault) = rules::inherit::fault(span, source, field, (route.boundary, false)) {
                self.faults.push(rules::inherit::in_all(fault, except, field));
            }
            set[index] = true;
            steps.push(Step::Inherit {
                output: index,
                input: at,
            });
        }
    }

    fn inherit_fields(
        &mut self,
        fields: &[tree::InheritedField],
        route: Route<'_>,
        set: &mut [bool],
        steps: &mut Vec<Step>,
    ) {
        let mut seen: HashMap<&str, Span> = HashMap::new();
        for inherited in fields {
            let name = &inherited.name;
            if let Some(before) = seen.insert(&name.text, name.span) {
                self.faults
                    .push(rules::doubled_target::fault(name.span, &name.text, before));
                continue;
            }
            if let (Some(input), Some(output)) = (route.input, route.output)
                && lacks(route.input, &name.text)
                && lacks(route.output, &name.text)
            {
                let fault = rules::unknown_field::neither(name, input, output);
                self.faults.push(fault);
                continue;
            }
            let index = self.target(name, route.output);
            let at = self.target(name, route.input);
            if let Some(flag) = index.and_then(|index| set.get_mut(index)) {
                *flag = true;
            }
            let (Some(index), Some(at)) = (index, at) else {
                continue;
            };
            let source = route.input.and_then(|input| input.schema.fields.get(at));
            if let Some((source, field)) = source.zip(route.field(Some(index))) {
                let allowance = (route.boundary, inherited.leak_sensitive);
                self.faults
                    .extend(rules::inherit::fault(name.span, source, field, allowance));
            }
            steps.push(Step::Inherit {
                output: index,
                input: at,
            });
        }
    }

    fn set(&mut self, tree: &TreeAssignment, route: Route<'_>, set: &mut [bool], steps: &mut Vec<Step>) {
        let index = self.target(&tree.target, route.output);
        let env = route.environment(Place::Set, Output::Building(route.output, set));
        let target = Target {
            field: route.field(index),
            what: "SET",
            boundary: route.boundary,
        };
        let typed = self.value(&env, &tree.value, target);
        if let Some(flag) = index.and_then(|index| set.get_mut(index)) {
            *flag = true;
        }
        if let Some((index, typed)) = index.zip(typed) {
            steps.push(Step::Set(Assignment {
                index,
                expr: typed.expr,
            }));
        }
    }

    /// The field of a schema that a clause names; what is not there is reported.
    fn target(&mut self, name: &Name, row: Row<'_>) -> Option<usize> {
        let record = row?;
        let index = record.index_of(&name.text);
        if index.is_none() {
            self.faults.push(rules::unknown_field::fault(name, record));
        }
        index
    }

    /// Assignments that do not see one another: error records and branch keys. One per target; every required field.
    pub(super) fn assignments(
        &mut self,
        list: (&[TreeAssignment], Span),
        env: &Environment<'_>,
        schema: Option<&Schema>,
        what: &str,
    ) -> Option<Vec<Assignment>> {
        let (trees, place) = list;
        let faults_before = self.faults.len();
        let mut seen: HashMap<&str, Span> = HashMap::new();
        let mut found = Vec::new();
        let record = schema.map(Record::of);
        let row = record.as_ref();
        for tree in trees {
            if let Some(before) = seen.insert(&tree.target.text, tree.target.span) {
                self.faults.push(rules::doubled_target::fault(
                    tree.target.span,
                    &tree.target.text,
                    before,
                ));
                continue;
            }
            let index = self.target(&tree.target, row);
            let field = index
                .zip(schema)
                .and_then(|(index, schema)| schema.fields.get(index));
            let typed = self.value(
                env,
                &tree.value,
                Target {
                    field,
                    what,
                    boundary: Boundary::Graph,
                },
            );
            found.extend(index.zip(typed).map(|(index, typed)| Assignment {
                index,
                expr: typed.expr,
            }));
        }
        let schema = schema?;
        let unset = |field: &&Field| !field.optional && !seen.contains_key(field.name.as_str());
        let missing = schema
            .fields
            .iter()
            .filter(unset)
            .map(|field| field.name.as_str());
        let unknown = seen.keys().copied().filter(|name| lacks(row, name));
        let missing = not_meant(missing.collect(), unknown);
        if !missing.is_empty() {
            self.faults
                .push(rules::unset_field::in_assignments(place, schema, &missing));
        }
        self.is_clean_since(faults_before).then_some(found)
    }
}
