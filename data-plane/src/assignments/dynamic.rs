//! What of a definition can change while it runs (class DYNAMIC): CAPACITY of its relays, and FLUSH.
//!
//! Invariant: two definitions that differ in nothing else are the same run. A pure comparison.

use std::sync::Arc;

use nspl_model::{EmitterDef, Flush, IngestorDef, MessagePolicy, RelayDef};

/// Whether a running emitter goes on with `new`.
pub(crate) fn same_emitter(old: &EmitterDef, new: &EmitterDef) -> bool {
    fixed_emitter(old) == fixed_emitter(new)
}

/// Whether a running ingestor goes on with `new`.
pub(crate) fn same_ingestor(old: &IngestorDef, new: &IngestorDef) -> bool {
    fixed_ingestor(old) == fixed_ingestor(new)
}

/// Every relay that an emitter reads, depends on or writes.
pub(crate) fn relays_of_emitter(def: &EmitterDef) -> Vec<&Arc<RelayDef>> {
    let sources = def.sources.iter().map(|source| &source.relay);
    let dependencies = def.dependencies.iter().map(|dependency| &dependency.relay);
    let errors = error_relay_of(&def.on_message_error);
    sources.chain(dependencies).chain(errors).collect()
}

/// Every relay that an ingestor writes.
pub(crate) fn relays_of_ingestor(def: &IngestorDef) -> Vec<&Arc<RelayDef>> {
    let routes = def.routes.iter().flat_map(|route| {
        let errors = error_relay_of(&route.on_message_error);
        std::iter::once(&route.relay).chain(errors)
    });
    routes.collect()
}

/// The relay of SEND TO.
pub(crate) fn error_relay_of(policy: &MessagePolicy) -> Option<&Arc<RelayDef>> {
    match policy {
        MessagePolicy::SendTo(route) => Some(&route.relay),
        MessagePolicy::Ignore | MessagePolicy::Log => None,
    }
}

fn fixed_emitter(def: &EmitterDef) -> EmitterDef {
    let mut fixed = def.clone();
    fixed.flush = Flush::Immediate;
    fixed.sources.iter_mut().for_each(|source| fix(&mut source.relay));
    fixed
        .dependencies
        .iter_mut()
        .for_each(|dependency| fix(&mut dependency.relay));
    fix_policy(&mut fixed.on_message_error);
    fixed
}

fn fixed_ingestor(def: &IngestorDef) -> IngestorDef {
    let mut fixed = def.clone();
    for route in &mut fixed.routes {
        route.flush = Flush::Immediate;
        fix(&mut route.relay);
        fix_policy(&mut route.on_message_error);
    }
    fixed
}

fn fix_policy(policy: &mut MessagePolicy) {
    if let MessagePolicy::SendTo(route) = policy {
        fix(&mut route.relay);
    }
}

fn fix(relay: &mut Arc<RelayDef>) {
    Arc::make_mut(relay).capacity = 0;
}
