//! What a change touches: which executed entities have to drain before it takes effect.

use nspl::{ChangeClass, Transaction};

use crate::catalog::{EntityRef, State};

/// The executed entities that have to drain, sorted; none for what takes effect beside running traffic, and none in a
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
            entities
                .filter(|entity| state.generation(entity).is_some())
                .collect()
        }
        ChangeClass::DomainPause => state.executed_in(&transaction.domain),
    }
}
