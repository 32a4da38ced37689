//! What a change touches: which executed entities have to drain before it takes effect, and in which order.

use std::collections::BTreeMap;

use nspl::{
    Catalog, ChangeClass, Transaction,
    model::{Definition, EmitterDef, MessagePolicy},
};

use crate::catalog::{EntityRef, State};

/// The executed entities that have to drain, in order; none for what takes effect beside running traffic, and none in a
/// stopped domain, which holds no work.
pub(crate) fn drained_by(transaction: &Transaction, state: &State) -> Vec<EntityRef> {
    if !state.run(&transaction.domain).running {
        return Vec::new();
    }
    match transaction.class {
        ChangeClass::None | ChangeClass::Dynamic => Vec::new(),
        ChangeClass::EntityPause => {
            let pausing = transaction
                .changes
                .iter()
                .filter(|change| change.class >= ChangeClass::EntityPause);
            let entities = pausing
                .filter(|change| change.before.is_some())
                .map(|change| EntityRef::new(transaction.domain.as_str(), change.key.clone()));
            let executed = entities.filter(|entity| state.generation(entity).is_some());
            in_drain_order(executed.collect(), &state.catalog)
        }
        ChangeClass::DomainPause => in_drain_order(state.executed_in(&transaction.domain), &state.catalog),
    }
}

/// Ways in first, then every emitter before those that read its error relay: each is drained when nothing feeds it.
pub(crate) fn in_drain_order(mut entities: Vec<EntityRef>, catalog: &Catalog) -> Vec<EntityRef> {
    let mut depths = Depths {
        catalog,
        known: BTreeMap::new(),
    };
    entities.sort_by_cached_key(|entity| (depths.of(entity), entity.clone()));
    entities
}

/// How many emitters records have passed before they reach an emitter: 0 for ways in.
struct Depths<'a> {
    catalog: &'a Catalog,
    known: BTreeMap<EntityRef, usize>,
}

impl Depths<'_> {
    fn of(&mut self, entity: &EntityRef) -> usize {
        if let Some(depth) = self.known.get(entity) {
            return *depth;
        }
        // The graph of sources to error relays has no ring (rulings section 3); were there one, it would end here.
        self.known.insert(entity.clone(), 0);
        let depth = match self
            .catalog
            .get(&entity.domain, &entity.key)
            .map(|found| &found.definition)
        {
            Some(Definition::Emitter(emitter)) => {
                let feeding = feeding(self.catalog, &entity.domain, emitter);
                1 + feeding.iter().map(|feeder| self.of(feeder)).max().unwrap_or(0)
            }
            _ => 0,
        };
        self.known.insert(entity.clone(), depth);
        depth
    }
}

/// The emitters whose error relay is a source of `emitter`.
fn feeding(catalog: &Catalog, domain: &str, emitter: &EmitterDef) -> Vec<EntityRef> {
    let mut feeding = Vec::new();
    for source in &emitter.sources {
        let relay = nspl::model::EntityKey::new(nspl::model::EntityKind::Relay, source.relay.name.as_str());
        for user in catalog.dependents(domain, &relay) {
            if let Some(Definition::Emitter(feeder)) =
                catalog.get(domain, &user).map(|found| &found.definition)
            {
                let to = match &feeder.on_message_error {
                    MessagePolicy::SendTo(route) => Some(&route.relay.name),
                    MessagePolicy::Ignore | MessagePolicy::Log => None,
                };
                if to == Some(&source.relay.name) {
                    feeding.push(EntityRef::new(domain, user));
                }
            }
        }
    }
    feeding
}
