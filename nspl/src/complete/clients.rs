//! CLIENT: its kinds, the keys of its CONFIG, and the values that keys with closed sets take.

use nspl_model::{ClientKey, ClientKind, Definition, EntityKind, KeyShape};

use super::Place;
use super::candidate::{CandidateKind, Gathering};
use super::scene::Clause;

/// The keys of CONFIG of a PROTOBUF codec; none is required, and a key and its plural are one.
const PROTOBUF_KEYS: [(&str, &str); 4] = [
    ("file", "the .proto file"),
    ("files", ".proto files, separated by commas"),
    ("include", "a folder of imports"),
    ("includes", "folders of imports, separated by commas"),
];

/// Proposes kinds, keys and values where the place takes them.
pub(super) fn gather(label: &str, place: &Place<'_>, into: &mut Gathering<'_>) {
    match label {
        "a kind of client" => {
            for kind in ClientKind::all() {
                into.push(CandidateKind::ClientKind, kind.name(), "");
            }
        }
        "a quoted key" if place.scene.clause == Clause::Config => keys(place, into),
        "a string, a number, TRUE or FALSE" => values(place, into),
        _ => {}
    }
}

/// The kind of that name alone.
pub(super) fn only(word: &str) -> &'static [ClientKind] {
    ClientKind::from_name(word)
        .map(|kind| std::slice::from_ref(&kind.shape().kind))
        .unwrap_or_default()
}

/// The kind of the client whose CONFIG it is.
fn kind(place: &Place<'_>) -> Option<ClientKind> {
    if let Some(written) = place.scene.client_kind {
        return ClientKind::from_name(written);
    }
    match place
        .surroundings
        .definition(EntityKind::Client, place.scene.name()?)?
    {
        Definition::Client(client) => Some(client.kind),
        _ => None,
    }
}

fn keys(place: &Place<'_>, into: &mut Gathering<'_>) {
    let given = |name: &str| place.scene.keys.iter().any(|key| key == name);
    if place.scene.kind == Some(EntityKind::Codec) {
        let one = |key: &'static str| key.strip_suffix('s').unwrap_or(key);
        let is_given = |key: &'static str| {
            PROTOBUF_KEYS
                .iter()
                .any(|(other, _)| one(other) == one(key) && given(other))
        };
        for (key, detail) in PROTOBUF_KEYS.iter().filter(|(key, _)| !is_given(key)) {
            into.push_quoted(CandidateKind::Key, key, *detail);
        }
        return;
    }
    let Some(kind) = kind(place) else {
        return;
    };
    let shape = kind.shape();
    let (required, optional): (Vec<&ClientKey>, Vec<&ClientKey>) =
        shape.keys.iter().partition(|key| key.required);
    for key in required
        .into_iter()
        .chain(optional)
        .filter(|key| !given(key.name))
    {
        into.push_quoted(CandidateKind::Key, key.name, detail(key));
    }
    for property in shape.passed_on().filter(|property| !given(property)) {
        into.push_quoted(CandidateKind::Key, property, "handed on as it is written");
    }
}

fn values(place: &Place<'_>, into: &mut Gathering<'_>) {
    let shape = kind(place).map(ClientKind::shape);
    let key = place.scene.keys.last();
    let key = shape
        .zip(key)
        .and_then(|(shape, key)| shape.keys.iter().find(|known| known.name == key));
    match key.map(|key| key.shape) {
        Some(KeyShape::OneOf(words)) => {
            for word in words {
                into.push_quoted(CandidateKind::Value, word, "");
            }
        }
        Some(KeyShape::Bool) => {
            for word in ["TRUE", "FALSE"] {
                into.push(CandidateKind::Value, word, "");
            }
        }
        _ => {}
    }
}

fn detail(key: &ClientKey) -> String {
    let takes = match key.shape {
        KeyShape::Text => "a string".to_owned(),
        KeyShape::Positive | KeyShape::Whole => "a whole number".to_owned(),
        KeyShape::Bool => "TRUE or FALSE".to_owned(),
        KeyShape::OneOf(words) => words.join(" or "),
        KeyShape::Address(schemes)
        | KeyShape::AddressWith(schemes, _)
        | KeyShape::Project(schemes)
        | KeyShape::Origin(schemes) => format!("a URL: {}", schemes.join(", ")),
        KeyShape::HostPort => "host:port".to_owned(),
        KeyShape::File => "the path of a file".to_owned(),
        KeyShape::HeaderList => "a string: name=value, name=value".to_owned(),
    };
    match key.required {
        true => format!("required: {takes}"),
        false => takes,
    }
}
