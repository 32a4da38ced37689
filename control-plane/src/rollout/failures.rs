//! What a worker could not start, as long as that is how things are.
//!
//! With each step a worker tells what it could not start now: it tries again what waits for something, and is silent of
//! what it could not even read. So what it told before stays known until the entity is assigned anew or removed; it is
//! the weaker word of the two, for the entity may run by now.

use std::collections::BTreeMap;

use super::message::Failure;
use crate::catalog::EntityRef;

#[derive(Default)]
pub(super) struct Failures {
    /// Of the last step.
    latest: BTreeMap<EntityRef, Failure>,
    /// Of steps before it, and not told again.
    earlier: BTreeMap<EntityRef, Failure>,
}

impl Failures {
    /// Takes what the worker told of its last step. `generation_of` tells under which generation an entity is assigned.
    pub(super) fn told(&mut self, failures: Vec<Failure>, generation_of: impl Fn(&EntityRef) -> Option<u64>) {
        self.earlier.append(&mut self.latest);
        let told = failures
            .into_iter()
            .map(|failure| (failure.entity.clone(), failure));
        self.latest.extend(told);
        self.earlier.retain(|entity, _| !self.latest.contains_key(entity));
        self.keep_assigned(generation_of);
    }

    /// Forgets what was assigned anew or removed.
    pub(super) fn keep_assigned(&mut self, generation_of: impl Fn(&EntityRef) -> Option<u64>) {
        let assigned =
            |entity: &EntityRef, failure: &mut Failure| generation_of(entity) == Some(failure.generation);
        self.latest.retain(assigned);
        self.earlier.retain(assigned);
    }

    /// Why the entity did not start with the last step.
    pub(super) fn now(&self, entity: &EntityRef, generation: u64) -> Option<String> {
        message(&self.latest, entity, generation)
    }

    /// Why the entity did not start, with the last step or one before it.
    pub(super) fn ever(&self, entity: &EntityRef, generation: u64) -> Option<String> {
        self.now(entity, generation)
            .or_else(|| message(&self.earlier, entity, generation))
    }
}

fn message(of: &BTreeMap<EntityRef, Failure>, entity: &EntityRef, generation: u64) -> Option<String> {
    of.get(entity)
        .filter(|failure| failure.generation == generation)
        .map(|failure| failure.message.clone())
}

#[cfg(test)]
mod tests {
    use nspl::model::{EntityKey, EntityKind};

    use super::Failures;
    use crate::{catalog::EntityRef, rollout::message::Failure};

    fn entity(name: &str) -> EntityRef {
        EntityRef::new("d", EntityKey::new(EntityKind::Emitter, name))
    }

    fn failure(name: &str, message: &str) -> Failure {
        Failure {
            entity: entity(name),
            generation: 7,
            message: message.into(),
        }
    }

    #[test]
    fn a_failure_is_known_until_the_entity_is_assigned_anew() {
        let mut failures = Failures::default();
        failures.told(vec![failure("a", "unreadable")], |_| Some(7));
        failures.told(vec![failure("b", "no room")], |_| Some(7));
        assert_eq!(failures.now(&entity("a"), 7), None);
        assert_eq!(failures.ever(&entity("a"), 7).as_deref(), Some("unreadable"));
        assert_eq!(failures.now(&entity("b"), 7).as_deref(), Some("no room"));
        assert_eq!(failures.ever(&entity("a"), 8), None);
        failures.keep_assigned(|known| Some(if *known == entity("a") { 8 } else { 7 }));
        assert_eq!(failures.ever(&entity("a"), 7), None);
        assert_eq!(failures.ever(&entity("b"), 7).as_deref(), Some("no room"));
    }

    #[test]
    fn what_is_told_of_a_removed_entity_is_not_kept() {
        let mut failures = Failures::default();
        failures.told(vec![failure("a", "unreadable")], |_| None);
        assert_eq!(failures.ever(&entity("a"), 7), None);
    }

    #[test]
    fn the_newer_word_on_an_entity_replaces_the_older() {
        let mut failures = Failures::default();
        failures.told(vec![failure("a", "first")], |_| Some(7));
        failures.told(Vec::new(), |_| Some(7));
        failures.told(vec![failure("a", "second")], |_| Some(7));
        assert_eq!(failures.ever(&entity("a"), 7).as_deref(), Some("second"));
        assert!(failures.earlier.is_empty());
    }
}
