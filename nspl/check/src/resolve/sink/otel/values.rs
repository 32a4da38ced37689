//! VALUES of the closed sets, and ATTRIBUTES.

use nspl_model::{DataType, Literal, OtelKey, OtelSinkDef, OtelValue};
use nspl_syntax::Span;
use nspl_syntax::assignment::MapEntry;
use nspl_syntax::sink::otel as tree;
use nspl_syntax::sink::values::Values;

use super::{ClosedSet, Resolver};
use crate::expression::{Environment, Typed};
use crate::nearest::not_meant;
use crate::resolve::Boundary;
use crate::resolve::mapping::Mapping;
use crate::rules;

impl Resolver<'_> {
    /// The entries of VALUES, then those of ATTRIBUTES.
    pub(in crate::resolve::sink) fn otel_entries(
        &mut self,
        tree: &tree::OtelSink,
        values: Option<&Values>,
        row: &Environment<'_>,
        mapping: &mut Mapping,
    ) {
        if let Some(values) = values {
            self.closed_set(ClosedSet::of(&tree.signal.node), values, row, mapping);
        }
        let Some(attributes) = &tree.attributes else {
            return;
        };
        for entry in self.map_entries(attributes) {
            let typed = self.attribute(entry, row);
            let name = OtelSinkDef::attribute_field(&entry.key.value);
            mapping.push(name, typed.map(|typed| typed.expr));
        }
    }

    fn closed_set(&mut self, set: ClosedSet, values: &Values, row: &Environment<'_>, mapping: &mut Mapping) {
        let entries = self.map_entries(&values.map);
        let written = |key: &&OtelKey| entries.iter().any(|entry| entry.key.value == key.name);
        let required = set.keys.iter().filter(|key| key.is_required(set.delta));
        let missing: Vec<&OtelKey> = required.filter(|key| !written(key)).collect();
        let known = |name: &str| set.keys.iter().any(|key| key.name == name);
        let unknown = entries.iter().map(|entry| entry.key.value.as_str());
        let named = not_meant(
            missing.iter().map(|key| key.name).collect(),
            unknown.filter(|name| !known(name)),
        );
        let missing: Vec<&OtelKey> = missing
            .into_iter()
            .filter(|key| named.contains(&key.name))
            .collect();
        if !missing.is_empty() {
            self.faults.push(rules::otel_missing_key::fault(
                values.map.span,
                set.signal,
                &missing,
            ));
        }
        let mut lengths = Vec::new();
        for entry in entries {
            let Some(key) = set.keys.iter().find(|key| key.name == entry.key.value) else {
                self.faults
                    .push(rules::otel_key::fault(&entry.key, set.signal, set.keys));
                self.typer(row).anything(&entry.value);
                continue;
            };
            let typed = self.keyed(key, set.delta, &entry.value, row);
            if let Some(length) = typed.as_ref().and_then(fixed_length) {
                lengths.push((key.takes, length, entry.value.span));
            }
            mapping.push(entry.key.value.clone(), typed.map(|typed| typed.expr));
        }
        self.buckets(&lengths);
    }

    fn keyed(
        &mut self,
        key: &OtelKey,
        delta: bool,
        node: &nspl_syntax::Expr,
        row: &Environment<'_>,
    ) -> Option<Typed> {
        let what = format!("VALUES '{}'", key.name);
        let typer = self.typer(row);
        let typed = match key.takes.exact() {
            Some(exact) => typer.value(node, &exact, &what)?,
            None => typer.free(node, key.takes.preferred().as_ref())?,
        };
        if !key.takes.takes(&typed.expr.data_type) {
            let fault = rules::otel_type::fault(typed.span, &what, &key.takes.words(), &typed.expr.data_type);
            self.faults.push(fault);
            return None;
        }
        if typed
            .constant
            .as_ref()
            .is_some_and(|value| !key.takes.admits(value))
        {
            self.faults
                .push(rules::otel_constant::fault(typed.span, &what, key.takes));
            return None;
        }
        let nullable = typed.expr.nullable && key.is_required(delta);
        let sensitive = typed.expr.sensitive;
        self.admit(typed, &what, (nullable, sensitive), Boundary::External)
    }

    /// Counts and bounds whose lengths are known and never go together.
    fn buckets(&mut self, lengths: &[(OtelValue, usize, Span)]) {
        let of = |kind: OtelValue| lengths.iter().find(|(found, ..)| *found == kind);
        if let (Some((_, counts, place)), Some((_, bounds, beside))) =
            (of(OtelValue::Counts), of(OtelValue::Bounds))
            && *counts != bounds + 1
        {
            self.faults.push(rules::otel_histogram::fault(
                (*place, *counts),
                (*beside, *bounds),
            ));
        }
    }

    fn attribute(&mut self, entry: &MapEntry, row: &Environment<'_>) -> Option<Typed> {
        let what = format!("ATTRIBUTES '{}'", entry.key.value);
        let typed = self.typer(row).free(&entry.value, None)?;
        self.attribute_type(typed.span, &what, &typed.expr.data_type)?;
        self.external(typed, &what)
    }

    pub(super) fn attribute_type(&mut self, place: Span, what: &str, data_type: &DataType) -> Option<()> {
        if OtelSinkDef::attribute_takes(data_type) {
            return Some(());
        }
        self.faults
            .push(rules::otel_type::attribute(place, what, data_type));
        None
    }
}

/// The number of elements that every record has.
fn fixed_length(typed: &Typed) -> Option<usize> {
    match (&typed.constant, &typed.expr.data_type) {
        (Some(Literal::List(values)), _) => Some(values.len()),
        (_, DataType::Array(_, axes)) => axes.first().and_then(|axis| usize::try_from(*axis).ok()),
        _ => None,
    }
}
