//! Pieces of canonical text that a description shows.

use nspl::{Entity, model::EmitterDef};

/// The canonical statement as it may be shown.
pub(crate) fn masked(entity: &Entity) -> String {
    entity.text.to_string()
}

/// The FROM list.
pub(super) fn sources(emitter: &EmitterDef, entity: &Entity) -> String {
    let _ = entity;
    emitter
        .sources
        .iter()
        .map(|source| source.relay.name.clone())
        .collect::<Vec<_>>()
        .join(", ")
}
