//! What a worker needs for what it may be asked to run: kinds of sink and source, in the words by which workers report
//! them (rulings section 9 "What can run"), and room in its Flight messages.

use std::collections::BTreeSet;

use nspl_model::{Build, Definition, SinkKind, SourceKind};

use crate::{Catalog, rules::batch_size::FLIGHT_ROOM_BYTES, settings::MATERIALIZED_STATE};

/// What a worker must have to execute all that a catalog holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Needs {
    /// The kinds it was built with, and [`MATERIALIZED_STATE`].
    pub kinds: BTreeSet<&'static str>,
    /// The least bound of its Flight messages in bytes that carries the largest BATCH MAX SIZE (flight.md "Ends and
    /// limits"); 0 where nothing is sent by Flight.
    pub flight_message_bytes: u64,
}

/// What a worker must have to execute all that a catalog holds.
pub fn needs(catalog: &Catalog) -> Needs {
    let mut needs = Needs::default();
    let domains = catalog.domains();
    for entity in domains.iter().flat_map(|domain| catalog.entities(domain)) {
        match &entity.definition {
            Definition::Emitter(emitter) => {
                let kind = emitter.sink.kind();
                needs.kinds.insert(kind.name());
                if let Some(batch) = emitter.batch.filter(|_| kind.capabilities().bounded_by_flight) {
                    let message = batch.max_bytes.saturating_add(FLIGHT_ROOM_BYTES);
                    needs.flight_message_bytes = needs.flight_message_bytes.max(message);
                }
            }
            Definition::Ingestor(ingestor) => {
                needs.kinds.insert(ingestor.source.build().word);
            }
            Definition::Relay(relay) if relay.materialized => {
                needs.kinds.insert(MATERIALIZED_STATE);
            }
            _ => {}
        }
    }
    needs
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
