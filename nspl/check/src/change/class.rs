//! The class of one change, from what the definitions say before and after.

use std::collections::BTreeSet;
use std::sync::Arc;

use nspl_model::{Definition, EmitterDef, IngestorDef, MessagePolicy, RelayDef};

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
    let mut neutral = EmitterDef {
        flush: before.flush,
        ..after.clone()
    };
    let mut relays = Relays {
        class: ChangeClass::None,
    };
    for (ours, theirs) in neutral.sources.iter_mut().zip(&before.sources) {
        relays.settle(&mut ours.relay, &theirs.relay);
    }
    for (ours, theirs) in neutral.dependencies.iter_mut().zip(&before.dependencies) {
        relays.settle(&mut ours.relay, &theirs.relay);
    }
    relays.settle_errors(&mut neutral.on_message_error, &before.on_message_error);
    match neutral == *before {
        true => relays.class.max(ChangeClass::Dynamic),
        false => relays.class.max(ChangeClass::EntityPause),
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
    let mut neutral = after.clone();
    let mut relays = Relays {
        class: ChangeClass::None,
    };
    for (ours, theirs) in neutral.routes.iter_mut().zip(&before.routes) {
        relays.settle(&mut ours.relay, &theirs.relay);
        relays.settle_errors(&mut ours.on_message_error, &theirs.on_message_error);
    }
    if neutral == *before {
        relays.class
    } else {
        relays.class.max(ChangeClass::EntityPause)
    }
}

/// A relay that changes by its capacity alone does not replace what uses it: it is made equal before the users are
/// compared. The class is the greatest of the relays that were.
struct Relays {
    class: ChangeClass,
}

impl Relays {
    fn settle(&mut self, ours: &mut Arc<RelayDef>, theirs: &Arc<RelayDef>) {
        if ours.name != theirs.name || ours == theirs {
            return;
        }
        self.class = self.class.max(relay(theirs, ours));
        *ours = theirs.clone();
    }

    fn settle_errors(&mut self, ours: &mut MessagePolicy, theirs: &MessagePolicy) {
        if let (MessagePolicy::SendTo(ours), MessagePolicy::SendTo(theirs)) = (ours, theirs) {
            self.settle(&mut ours.relay, &theirs.relay);
        }
    }
}
