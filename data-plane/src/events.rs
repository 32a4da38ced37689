//! Runtime events on their way to the control plane.
//!
//! Invariant: reporting never waits; at most [`EVENTS_MAX`] events are kept while the control plane is away, and the
//! oldest go first; how many went is logged when events are taken again. An event quotes no value of a record and no secret.

use std::{collections::VecDeque, sync::Arc};

use nervix_clock::PhysicalClock;
use nervix_emitter::{EmitterEvent, EmitterEvents};
use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::assignments::EntityName;

/// Events that are kept for a control plane that is away.
pub(crate) const EVENTS_MAX: usize = 1024;

/// One event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    /// Nanoseconds since 1970 UTC.
    pub(crate) at_ns: i64,
    pub(crate) entity: EntityName,
    /// A stable word.
    pub(crate) kind: &'static str,
    pub(crate) message: String,
}

/// Takes events and gives them out in order; clones share everything.
#[derive(Clone, Debug)]
pub(crate) struct Events {
    shared: Arc<Shared>,
    clock: PhysicalClock,
}

#[derive(Debug, Default)]
struct Shared {
    kept: Mutex<Kept>,
    came: Notify,
}

#[derive(Debug, Default)]
struct Kept {
    events: VecDeque<Event>,
    /// Events that went untaken since the last one was taken.
    dropped: u64,
}

impl Events {
    pub(crate) fn new(clock: PhysicalClock) -> Self {
        Self {
            shared: Arc::default(),
            clock,
        }
    }

    /// Reports that something happened to `entity`.
    pub(crate) fn report(&self, entity: &EntityName, kind: &'static str, message: impl Into<String>) {
        let event = Event {
            at_ns: self.clock.utc().0,
            entity: entity.clone(),
            kind,
            message: message.into(),
        };
        let mut kept = self.shared.kept.lock();
        if kept.events.len() >= EVENTS_MAX && kept.events.pop_front().is_some() {
            kept.dropped += 1;
        }
        kept.events.push_back(event);
        drop(kept);
        self.shared.came.notify_one();
    }

    /// The oldest event, as soon as there is one. Cancel-safe; for one reader at a time.
    pub(crate) async fn next(&self) -> Event {
        loop {
            let (event, dropped) = self.take();
            if dropped > 0 {
                tracing::warn!(dropped, "events went untold while the control plane was away");
            }
            if let Some(event) = event {
                return event;
            }
            self.shared.came.notified().await;
        }
    }

    /// The oldest event, and how many went untaken before it.
    fn take(&self) -> (Option<Event>, u64) {
        let mut kept = self.shared.kept.lock();
        let event = kept.events.pop_front();
        let dropped = if event.is_some() {
            std::mem::take(&mut kept.dropped)
        } else {
            0
        };
        (event, dropped)
    }

    /// Takes the events of one emitter.
    pub(crate) fn of_emitter(&self, entity: EntityName) -> Arc<dyn EmitterEvents> {
        Arc::new(OfEmitter {
            events: self.clone(),
            entity,
        })
    }
}

struct OfEmitter {
    events: Events,
    entity: EntityName,
}

impl EmitterEvents for OfEmitter {
    fn report(&self, event: EmitterEvent) {
        self.events
            .report(&self.entity, event.kind.word(), event.message.to_string());
    }
}

#[cfg(test)]
mod tests {
    use nervix_clock::PhysicalClock;

    use super::{EVENTS_MAX, Events};
    use crate::assignments::EntityName;

    #[tokio::test]
    async fn the_oldest_events_go_when_nobody_takes_them() {
        let events = Events::new(PhysicalClock::system());
        let entity = EntityName::emitter("d", "e");
        for number in 0..EVENTS_MAX + 2 {
            events.report(&entity, "unavailable", number.to_string());
        }
        let (event, dropped) = events.take();
        assert_eq!((event.unwrap().message.as_str(), dropped), ("2", 2));
        assert_eq!(events.take().1, 0, "each loss is told once");
        assert_eq!(events.next().await.message, "4");
    }
}
