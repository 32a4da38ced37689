//! The closed VALUES sets of OTEL: their keys, and the names that some of them take.

use nspl_model::{HistogramFields, LogFields, OtelKey, OtelValue, PointFields, SpanFields};

use super::Place;
use super::candidate::{CandidateKind, Gathering};
use super::scene::{Clause, Scene};

/// Proposes keys and names where the place takes one of a closed set.
pub(super) fn gather(label: &str, place: &Place<'_>, into: &mut Gathering<'_>) {
    let Some(set) = closed_set(place.scene) else {
        return;
    };
    let written = &place.scene.keys;
    match label {
        "a quoted key" => {
            for key in set
                .iter()
                .filter(|key| !written.iter().any(|name| name == key.name))
            {
                let required = match key.is_required(is_delta(place.scene)) {
                    true => "required: ",
                    false => "",
                };
                let detail = format!("{required}{}", key.takes.words());
                into.push_quoted(CandidateKind::Key, key.name, detail);
            }
        }
        "an expression" => {
            let key = written
                .last()
                .and_then(|name| set.iter().find(|key| key.name == name));
            if let Some(OtelValue::OneOf(names)) = key.map(|key| key.takes) {
                for name in names {
                    into.push_quoted(CandidateKind::Value, name, "");
                }
            }
        }
        _ => {}
    }
}

/// The set whose VALUES are being written.
pub(super) fn closed_set(scene: &Scene<'_>) -> Option<&'static [OtelKey]> {
    let in_values =
        scene.clause == Clause::Values && scene.last_of(&["VALUES", "ATTRIBUTES"]) == Some("VALUES");
    if !in_values || scene.last_of(&["OTEL"]).is_none() {
        return None;
    }
    match scene.last_of(&["LOGS", "TRACES", "GAUGE", "SUM", "HISTOGRAM"])? {
        "LOGS" => Some(LogFields::KEYS),
        "TRACES" => Some(SpanFields::KEYS),
        "HISTOGRAM" => Some(HistogramFields::KEYS),
        _ => Some(PointFields::KEYS),
    }
}

fn is_delta(scene: &Scene<'_>) -> bool {
    scene.last_of(&["DELTA", "CUMULATIVE"]) == Some("DELTA")
}
