//! Types, wire types, and the units of quantities.

use nspl_model::{DataType, EntityKind, WireFormat};
use nspl_syntax::Typed;

use super::Place;
use super::candidate::{CandidateKind, Gathering};

const DURATION_UNITS: [(&str, &str); 6] = [
    ("us", "microseconds"),
    ("ms", "milliseconds"),
    ("s", "seconds"),
    ("m", "minutes"),
    ("h", "hours"),
    ("d", "days"),
];

const SIZE_UNITS: [(&str, &str); 9] = [
    ("B", "bytes"),
    ("KB", "1,000 bytes"),
    ("KiB", "1,024 bytes"),
    ("MB", "1,000 KB"),
    ("MiB", "1,024 KiB"),
    ("GB", "1,000 MB"),
    ("GiB", "1,024 MiB"),
    ("TB", "1,000 GB"),
    ("TiB", "1,024 GiB"),
];

/// Proposes types and quantities where the place takes them.
pub(super) fn gather(label: &str, place: &Place<'_>, into: &mut Gathering<'_>) {
    match label {
        "a type" => types(into),
        "a wire type" => wire_types(place, into),
        "a duration such as 250ms" => units(place, &DURATION_UNITS, into),
        "a size such as 1MiB" => units(place, &SIZE_UNITS, into),
        _ => {}
    }
}

fn types(into: &mut Gathering<'_>) {
    for scalar in DataType::SCALARS {
        into.push(CandidateKind::Type, scalar.to_string(), "");
    }
    into.push(CandidateKind::Type, "ARRAY<", "ARRAY<T, d1, ..>: fixed lengths");
    into.push(CandidateKind::Type, "VEC<", "VEC<T>: any length");
}

fn wire_types(place: &Place<'_>, into: &mut Gathering<'_>) {
    let format = match place.scene.kind {
        Some(EntityKind::WireJsonSchema) => WireFormat::Json,
        Some(EntityKind::WireCborSchema) => WireFormat::Cbor,
        Some(EntityKind::WireAvroSchema) => WireFormat::Avro,
        _ => return,
    };
    for wire_type in format.types() {
        into.push(CandidateKind::WireType, wire_type.name(), "");
    }
}

/// The number that is typed with each unit; nothing before a digit is.
fn units(place: &Place<'_>, units: &[(&str, &str)], into: &mut Gathering<'_>) {
    if place.proposal.typed != Typed::Number {
        return;
    }
    let typed = into.typed();
    let digits = typed.trim_end_matches(|last: char| last.is_ascii_alphabetic());
    for (unit, detail) in units {
        into.push(CandidateKind::Quantity, format!("{digits}{unit}"), *detail);
    }
}
