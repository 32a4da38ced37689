//! Fields of the schemas in scope: targets of SET and INHERIT, what stands behind `scope.`, columns of VALUES.

use std::sync::Arc;

use nspl_model::{DataType, Definition, EntityKind, Field, Schema, record_error};

use super::candidate::{CandidateKind, Gathering};
use super::scene::{Clause, Origin};
use super::{Place, otel};

/// The schemas that a statement has brought into scope.
#[derive(Default)]
pub(super) struct Rows {
    /// The source row.
    pub(super) input: Option<Arc<Schema>>,
    /// The record under construction.
    pub(super) output: Option<Arc<Schema>>,
}

/// Proposes fields where the place takes the name of one, or a key that is one.
pub(super) fn gather(label: &str, place: &Place<'_>, into: &mut Gathering<'_>) {
    match label {
        "a field name" if place.scene.back(1).is_some_and(|last| last.is_symbol(".")) => {
            behind_point(place, into)
        }
        "a field name" => targets(place, into),
        "a quoted key" => keys(place, into),
        "a quoted column" => {
            for key in place
                .scene
                .keys
                .iter()
                .filter(|_| place.scene.clause == Clause::Conflict)
            {
                into.push_quoted(CandidateKind::Key, key, "column");
            }
        }
        _ => {}
    }
}

/// The schemas in scope.
pub(super) fn rows(place: &Place<'_>) -> Rows {
    let (scene, around) = (place.scene, place.surroundings);
    let of = |origin: Option<Origin<'_>>| {
        origin.and_then(|origin| around.schema(origin.kind, origin.name).cloned())
    };
    let first = scene.sources.first();
    let source = first.and_then(|relay| around.schema(EntityKind::Relay, relay).cloned());
    let mut rows = Rows {
        input: source.or_else(|| of(scene.input)),
        output: of(scene.output),
    };
    if scene.verb.eq_ignore_ascii_case("ALTER")
        && let (Some(kind), Some(name)) = (scene.kind, scene.name())
    {
        let (input, output) = match around.definition(kind, name) {
            Some(Definition::Emitter(emitter)) => (
                emitter.sources.first().map(|source| source.relay.schema.clone()),
                Some(emitter.output.clone()),
            ),
            Some(Definition::Schema(schema)) => (Some(schema.clone()), Some(schema.clone())),
            _ => (None, None),
        };
        rows.input = rows.input.or(input);
        rows.output = rows.output.or(output);
    }
    rows
}

/// Proposes the fields of a schema but those that `leave_out` names.
pub(super) fn push(schema: Option<&Arc<Schema>>, leave_out: &[&str], into: &mut Gathering<'_>) {
    let fields = schema.iter().flat_map(|schema| &schema.fields);
    for field in fields.filter(|field| !leave_out.contains(&field.name.as_str())) {
        into.push(CandidateKind::Field, field.name.as_str(), detail(field));
    }
}

fn detail(field: &Field) -> String {
    let mut text = field.data_type.to_string();
    for (holds, word) in [(field.optional, " OPTIONAL"), (field.sensitive, " SENSITIVE")] {
        if holds {
            text.push_str(word);
        }
    }
    text
}

/// The fields of the scope before the point.
fn behind_point(place: &Place<'_>, into: &mut Gathering<'_>) {
    let (scene, around) = (place.scene, place.surroundings);
    if scene.word_back(4) == "RELAY_STATE" {
        let relay = scene.back(2).map(|token| token.text).unwrap_or_default();
        push(around.schema(EntityKind::Relay, relay), &[], into);
        return;
    }
    let rows = rows(place);
    match scene.word_back(2).as_str() {
        "INPUT" => push(rows.input.as_ref(), &[], into),
        "OUTPUT" if scene.clause == Clause::Set => only(rows.output.as_ref(), &scene.named, into),
        "OUTPUT" | "PARTIAL_OUTPUT" => push(rows.output.as_ref(), &[], into),
        "MESSAGE" => {
            if scene.clause == Clause::Finished {
                push(rows.output.as_ref(), &[], into);
            } else {
                only(rows.output.as_ref(), &scene.named, into);
            }
            push(rows.input.as_ref(), &[], into);
        }
        "ERROR" => push(Some(&Arc::new(record_error::error_schema())), &[], into),
        "RELAY_STATE" => {
            for relay in &scene.states {
                into.push(
                    CandidateKind::Entity(EntityKind::Relay),
                    *relay,
                    "materialized state",
                );
            }
        }
        _ => {}
    }
}

/// The fields of a schema that are named.
pub(super) fn only(schema: Option<&Arc<Schema>>, named: &[&str], into: &mut Gathering<'_>) {
    let fields = schema.iter().flat_map(|schema| &schema.fields);
    for field in fields.filter(|field| named.contains(&field.name.as_str())) {
        into.push(CandidateKind::Field, field.name.as_str(), detail(field));
    }
}

/// What a list of fields may name next.
fn targets(place: &Place<'_>, into: &mut Gathering<'_>) {
    let (scene, around) = (place.scene, place.surroundings);
    let named = scene.named.as_slice();
    let of = |kind, name: Option<&str>| name.and_then(|name| around.schema(kind, name));
    match scene.clause {
        Clause::Set => push(rows(place).output.as_ref(), named, into),
        Clause::ErrorSet => push(of(EntityKind::Relay, scene.error_relay), named, into),
        Clause::BranchSet => push(of(EntityKind::Branch, scene.branch), named, into),
        Clause::Except => push(rows(place).input.as_ref(), named, into),
        Clause::Inherit => {
            let rows = rows(place);
            let input = rows.input.as_deref();
            let both = |output: &Schema| Schema {
                name: String::new(),
                fields: (output.fields.iter())
                    .filter(|field| input.is_none_or(|input| input.field(&field.name).is_some()))
                    .cloned()
                    .collect(),
            };
            let fields = rows.output.as_deref().map(both).map(Arc::new);
            push(fields.as_ref().or(rows.input.as_ref()), named, into);
        }
        Clause::Encode => {
            let datetimes = rows(place).output.map(|schema| {
                let fields = schema
                    .fields
                    .iter()
                    .filter(|field| field.data_type == DataType::DateTime);
                Arc::new(Schema {
                    name: String::new(),
                    fields: fields.cloned().collect(),
                })
            });
            push(datetimes.as_ref(), &[], into);
        }
        _ if scene.verb.eq_ignore_ascii_case("ALTER") && scene.word_back(1) != "ADD" => {
            push(rows(place).input.as_ref(), &[], into);
        }
        _ => {}
    }
}

/// Keys that are the names of fields: columns, and the constants of a dependency.
fn keys(place: &Place<'_>, into: &mut Gathering<'_>) {
    let scene = place.scene;
    let schema = match scene.clause {
        Clause::Values if otel::closed_set(scene).is_some() => None,
        Clause::Values => rows(place).input,
        Clause::Default => scene.states.last().and_then(|relay| {
            let schema = place.surroundings.schema(EntityKind::Relay, relay);
            schema.cloned()
        }),
        _ => None,
    };
    let fields = schema.iter().flat_map(|schema| &schema.fields);
    for field in fields.filter(|field| !scene.keys.contains(&field.name)) {
        into.push_quoted(CandidateKind::Key, &field.name, detail(field));
    }
}
