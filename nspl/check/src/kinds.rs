//! The kinds of sink and source that a worker may be asked to run, in the words by which workers report them (rulings
//! section 9 "What can run").

use std::collections::BTreeSet;

use nspl_model::{Build, Definition, SinkKind, SourceKind};

use crate::{Catalog, settings::MATERIALIZED_STATE};

/// What a worker must have been built with to execute all that a catalog holds.
pub fn used_kinds(catalog: &Catalog) -> BTreeSet<&'static str> {
    let domains = catalog.domains();
    let entities = domains.iter().flat_map(|domain| catalog.entities(domain));
    entities
        .filter_map(|entity| match &entity.definition {
            Definition::Emitter(emitter) => Some(emitter.sink.kind().name()),
            Definition::Ingestor(ingestor) => Some(ingestor.source.build().word),
            Definition::Relay(relay) if relay.materialized => Some(MATERIALIZED_STATE),
            _ => None,
        })
        .collect()
}

/// What some build of this release can run.
pub fn release_kinds() -> BTreeSet<String> {
    let sinks = SinkKind::ALL.map(|kind| (kind.name(), kind.capabilities().build));
    let sources = SourceKind::ALL.map(|source| (source.word, source.build));
    let run = sinks.into_iter().chain(sources);
    run.filter(|(_, build)| *build != Build::None)
        .map(|(kind, _)| kind)
        .chain([MATERIALIZED_STATE])
        .map(str::to_owned)
        .collect()
}
