//! Names of entities: of the kind that belongs at the place, in the domain in use.

use std::sync::Arc;

use nspl_check::Entity;
use nspl_model::{ClientKind, Definition, EntityKind};
use nspl_syntax::{LexemeKind, lexemes};

use super::candidate::{CandidateKind, Gathering};
use super::{Place, clients};

/// Proposes entities where the place takes the name of one that exists.
pub(super) fn gather(label: &str, place: &Place<'_>, into: &mut Gathering<'_>) {
    if place.scene.names_new() {
        return;
    }
    if label == "a node name" {
        return nodes(place, into);
    }
    let Some(kind) = kind_of(label, place) else {
        return;
    };
    let fits = filter(kind, place);
    for entity in place.surroundings.list(kind) {
        if fits(&entity) {
            into.push(CandidateKind::Entity(kind), &*entity.key.name, detail(&entity));
        }
    }
}

/// A node's name is an external one: quoted where it is no identifier, or a quote is begun.
fn nodes(place: &Place<'_>, into: &mut Gathering<'_>) {
    let quoted = into.typed().starts_with(['\'', '"']);
    for node in place.nodes {
        match quoted || !is_identifier(node) {
            true => into.push_quoted(CandidateKind::Node, node, ""),
            false => into.push(CandidateKind::Node, node.as_str(), ""),
        }
    }
}

fn is_identifier(name: &str) -> bool {
    let [only] = lexemes(name)[..] else {
        return false;
    };
    only.kind == LexemeKind::Word
}

fn kind_of(label: &str, place: &Place<'_>) -> Option<EntityKind> {
    Some(match label {
        "a domain name" => EntityKind::Domain,
        "a schema name" => EntityKind::Schema,
        "a codec name" => EntityKind::Codec,
        "a branch name" => EntityKind::Branch,
        "a relay name" => EntityKind::Relay,
        "a resource name" => EntityKind::Resource,
        "a client name" => EntityKind::Client,
        "an ingestor name" => EntityKind::Ingestor,
        "an emitter name" => EntityKind::Emitter,
        "a wire schema name" | "a name" => return written_kind(place),
        _ => return None,
    })
}

/// The kind whose words stand directly before the cursor, the longest.
fn written_kind(place: &Place<'_>) -> Option<EntityKind> {
    let before = [3, 2, 1].map(|back| place.scene.word_back(back));
    let fits = |kind: &EntityKind| {
        let words: Vec<&str> = kind.words().split(' ').collect();
        before
            .iter()
            .rev()
            .zip(words.iter().rev())
            .all(|(written, word)| written == word)
    };
    let fitting = EntityKind::ALL.into_iter().filter(fits);
    fitting.max_by_key(|kind| kind.words().len())
}

/// What the clause asks of an entity beyond its kind.
fn filter(kind: EntityKind, place: &Place<'_>) -> Box<dyn Fn(&Entity) -> bool> {
    let (last, before) = (place.scene.word_back(1), place.scene.word_back(2));
    match kind {
        EntityKind::Client => match wanted_client(&last, &before) {
            [] => Box::new(|_| true),
            kinds => Box::new(
                |entity| matches!(&entity.definition, Definition::Client(client) if kinds.contains(&client.kind)),
            ),
        },
        EntityKind::Relay if (last.as_str(), before.as_str()) == ("STATE", "MATERIALIZED") => {
            Box::new(|entity| matches!(&entity.definition, Definition::Relay(relay) if relay.materialized))
        }
        EntityKind::Relay
            if place.scene.verb.eq_ignore_ascii_case("CREATE") && !place.scene.sources.is_empty() =>
        {
            let listed: Vec<String> = place
                .scene
                .sources
                .iter()
                .map(|name| (*name).to_owned())
                .collect();
            let again = last == "TO" || last == "FROM";
            Box::new(move |entity| again || !listed.iter().any(|name| **name == *entity.key.name))
        }
        _ => Box::new(|_| true),
    }
}

/// The kinds of client that the words before the cursor take; empty where any may stand. A destination or a store is
/// called as its kind of client is, by its own word or by the one before that.
fn wanted_client(last: &str, before: &str) -> &'static [ClientKind] {
    match (clients::only(last), clients::only(before)) {
        _ if last == "CATALOG" => &[ClientKind::IcebergRest],
        ([], [kind]) => std::slice::from_ref(kind),
        (kinds, _) => kinds,
    }
}

fn detail(entity: &Arc<Entity>) -> String {
    let fields = |count: usize| match count {
        1 => "1 field".to_owned(),
        many => format!("{many} fields"),
    };
    match &entity.definition {
        Definition::Domain(_) | Definition::Resource(_) => String::new(),
        Definition::Schema(schema) => fields(schema.fields.len()),
        Definition::WireSchema(wire) => fields(wire.fields.len()),
        Definition::Codec(codec) => format!("to schema {}", codec.schema.name),
        Definition::Branch(branch) => format!("schema {}", branch.schema.name),
        Definition::Relay(relay) => match &relay.branch {
            Some(branch) => format!("schema {}, branched by {}", relay.schema.name, branch.name),
            None => format!("schema {}", relay.schema.name),
        },
        Definition::Client(client) => client.kind.name().to_owned(),
        Definition::Ingestor(ingestor) => format!("from {}", ingestor.source.name()),
        Definition::Emitter(emitter) => format!("to {}", emitter.sink.kind()),
    }
}
