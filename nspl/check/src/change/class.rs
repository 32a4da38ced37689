//! The class of one change, from what the definitions say before and after.

use std::collections::BTreeSet;
use std::sync::Arc;

use nspl_model::{Definition, EmitterDef, IngestorDef, RelayDef};

use super::ChangeClass;
use crate::Entity;

/// Nothing runs before a creation, and only what executes has to drain before a drop.
pub(super) fn class(before: Option<&Arc<Entity>>, after: Option<&Arc<Entity>>) -> ChangeClass {
    match (
        before.map(|entity| &entity.definition),
        after.map(|entity| &entity.definition),
    ) {
        (None, _) => ChangeClass::None,
        (Some(Definition::Emitter(_) | Definition::Ingestor(_)), None) => ChangeClass::EntityPause,
        (Some(_), None) => ChangeClass::None,
        (Some(before), Some(after)) if before == after => ChangeClass::None,
        (Some(Definition::Relay(before)), Some(Definition::Relay(after))) => relay(before, after),
        (Some(Definition::Emitter(before)), Some(Definition::Emitter(after))) => emitter(before, after),
        (Some(Definition::Ingestor(before)), Some(Definition::Ingestor(after))) => ingestor(before, after),
        _ => ChangeClass::DomainPause,
    }
}

fn relay(before: &RelayDef, after: &RelayDef) -> ChangeClass {
    if *before
        == (RelayDef {
            capacity: before.capacity,
            ..after.clone()
        })
    {
        ChangeClass::Dynamic
    } else {
        ChangeClass::DomainPause
    }
}

fn emitter(before: &EmitterDef, after: &EmitterDef) -> ChangeClass {
    let sources = |emitter: &EmitterDef| -> BTreeSet<String> {
        emitter
            .sources
            .iter()
            .map(|source| source.relay.name.clone())
            .collect()
    };
    if sources(before) != sources(after) {
        return ChangeClass::DomainPause;
    }
    let relays = relay_changes(
        before
            .sources
            .iter()
            .map(|source| &source.relay)
            .zip(after.sources.iter().map(|source| &source.relay)),
    );
    let mut neutral = EmitterDef {
        flush: before.flush,
        ..after.clone()
    };
    if relays != ChangeClass::DomainPause {
        // A change of a relay's capacity alone does not replace its emitters.
        for (ours, theirs) in neutral.sources.iter_mut().zip(&before.sources) {
            if ours.relay.name == theirs.relay.name {
                ours.relay = theirs.relay.clone();
            }
        }
    }
    match neutral == *before {
        true if relays == ChangeClass::None => ChangeClass::Dynamic,
        true => relays.max(ChangeClass::Dynamic),
        false => relays.max(ChangeClass::EntityPause),
    }
}

fn ingestor(before: &IngestorDef, after: &IngestorDef) -> ChangeClass {
    let targets = |ingestor: &IngestorDef| -> Vec<String> {
        ingestor
            .routes
            .iter()
            .map(|route| route.relay.name.clone())
            .collect()
    };
    if targets(before) != targets(after) {
        return ChangeClass::DomainPause;
    }
    let relays = relay_changes(
        before
            .routes
            .iter()
            .map(|route| &route.relay)
            .zip(after.routes.iter().map(|route| &route.relay)),
    );
    let mut neutral = after.clone();
    if relays != ChangeClass::DomainPause {
        for (ours, theirs) in neutral.routes.iter_mut().zip(&before.routes) {
            ours.relay = theirs.relay.clone();
        }
    }
    if neutral == *before {
        relays
    } else {
        relays.max(ChangeClass::EntityPause)
    }
}

fn relay_changes<'a>(pairs: impl Iterator<Item = (&'a Arc<RelayDef>, &'a Arc<RelayDef>)>) -> ChangeClass {
    let classes = pairs.map(|(before, after)| {
        if before == after {
            ChangeClass::None
        } else {
            relay(before, after)
        }
    });
    classes.max().unwrap_or(ChangeClass::None)
}
