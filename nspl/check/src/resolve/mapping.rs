//! VALUES and ATTRIBUTES of direct emitters: entries that each read the source row alone (emitters.txt "Direct-emitter
//! values").

use std::collections::HashMap;

use nspl_model::{Assignment, Capabilities, Construction, Expr, Field, Schema, Step};
use nspl_syntax::Span;
use nspl_syntax::assignment::{Map, MapEntry};
use nspl_syntax::construction as tree;
use nspl_syntax::sink::values::Values;

use super::{Boundary, Resolver};
use crate::expression::{Environment, Typed};
use crate::rules;

/// What the entries of the maps come to, in written order.
#[derive(Default)]
pub(super) struct Mapping {
    fields: Vec<Field>,
    steps: Vec<Step>,
    /// Whether some entry has a fault.
    faulty: bool,
}

impl Mapping {
    /// Adds an entry under the name of its field; `None`: it has a fault.
    pub(super) fn push(&mut self, name: String, expr: Option<Expr>) {
        let Some(expr) = expr else {
            self.faulty = true;
            return;
        };
        self.fields.push(Field {
            name,
            data_type: expr.data_type.clone(),
            optional: expr.nullable,
            sensitive: false,
        });
        self.steps.push(Step::Set(Assignment {
            index: self.steps.len(),
            expr,
        }));
    }

    /// The schema of the entries and how they are set.
    pub(super) fn finish(self, filter: Option<Expr>) -> Option<(Schema, Construction)> {
        let schema = Schema {
            name: "VALUES".into(),
            fields: self.fields,
        };
        let construction = Construction {
            steps: self.steps,
            filter,
        };
        (!self.faulty).then_some((schema, construction))
    }
}

impl Resolver<'_> {
    /// The entries of a map whose keys are names of the outside system, each key once.
    pub(super) fn map_entries<'t>(&mut self, map: &'t Map) -> Vec<&'t MapEntry> {
        let entries = self.unique_entries(map);
        let nameless = |key: &str| key.is_empty() || key.contains('\0');
        let nameless = entries.iter().filter(|entry| nameless(&entry.key.value));
        let faults = nameless.map(|entry| rules::external_key::fault(entry.key.span));
        self.faults.extend(faults);
        entries
    }

    /// The entries of a map, each key once.
    pub(super) fn unique_entries<'t>(&mut self, map: &'t Map) -> Vec<&'t MapEntry> {
        let mut seen: HashMap<&str, Span> = HashMap::new();
        let mut found = Vec::new();
        for entry in &map.entries {
            let key = entry.key.value.as_str();
            if let Some(before) = seen.insert(key, entry.key.span) {
                self.faults
                    .push(rules::doubled_target::fault(entry.key.span, key, before));
                continue;
            }
            found.push(entry);
        }
        found
    }

    /// VALUES that may have any key and any type: columns of a table, fields of a document.
    pub(super) fn columns(&mut self, values: &Values, row: &Environment<'_>, mapping: &mut Mapping) {
        if values.map.entries.is_empty() {
            self.faults.push(rules::values_missing::empty(values.span));
        }
        for entry in self.map_entries(&values.map) {
            let what = format!("VALUES '{}'", entry.key.value);
            let typed = self.typer(row).free(&entry.value, None);
            let typed = typed.and_then(|typed| self.external(typed, &what));
            mapping.push(entry.key.value.clone(), typed.map(|typed| typed.expr));
        }
    }

    /// What leaves the system carries nothing sensitive.
    pub(super) fn external(&mut self, typed: Typed, what: &str) -> Option<Typed> {
        let sensitive = typed.expr.sensitive;
        self.admit(typed, what, (false, sensitive), Boundary::External)
    }

    /// A direct emitter constructs by its maps alone; INVOKE is judged with the headers.
    pub(super) fn only_maps(&mut self, tree: &tree::Construction, sink: &Capabilities) {
        if let Some(inherit) = &tree.inherit {
            self.faults
                .push(rules::direct_construction::fault(inherit.span, sink, "INHERIT"));
        }
        if let Some(first) = tree.set.first() {
            self.faults
                .push(rules::direct_construction::fault(first.target.span, sink, "SET"));
        }
        if let Some(filter) = &tree.filter {
            self.faults
                .push(rules::direct_construction::filter(filter.span, sink));
        }
    }
}
