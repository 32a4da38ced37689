//! Runtime events: what operators watch, from the control plane and from workers, with a bound on how far a watcher may
//! be behind. An event quotes no value of a record and no secret.

use futures::{Stream, StreamExt};
use tokio::sync::broadcast;
use tokio_stream::wrappers::{BroadcastStream, errors::BroadcastStreamRecvError};

/// Events that a watcher may be behind; the oldest are then left out, and it is told how many.
const EVENTS_BEHIND_MAX: usize = 4096;

/// Something an operator wants to know of.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Event {
    /// Nanoseconds since 1970 UTC.
    pub(crate) at_ns: i64,
    /// The domain, or empty.
    pub(crate) domain: String,
    /// The entity's kind in NSPL's words, or empty.
    pub(crate) entity_kind: String,
    /// The entity's name, or empty.
    pub(crate) entity_name: String,
    /// A stable word.
    pub(crate) kind: String,
    /// A sentence.
    pub(crate) message: String,
    /// The node it happened on, or empty.
    pub(crate) node: String,
}

/// Sends events to whoever watches.
#[derive(Clone)]
pub(crate) struct Events {
    sender: broadcast::Sender<Event>,
}

impl Default for Events {
    fn default() -> Self {
        Self {
            sender: broadcast::Sender::new(EVENTS_BEHIND_MAX),
        }
    }
}

impl Events {
    /// Tells all watchers; without any, nothing happens.
    pub(crate) fn tell(&self, event: Event) {
        let watchers = self.sender.send(event).unwrap_or(0);
        tracing::trace!(watchers, "event told");
    }

    /// Events from now on; one of kind `missed` stands for those left out.
    pub(crate) fn watch(&self) -> impl Stream<Item = Event> + Send + use<> {
        BroadcastStream::new(self.sender.subscribe()).map(|event| match event {
            Ok(event) => event,
            Err(BroadcastStreamRecvError::Lagged(count)) => Event {
                kind: "missed".into(),
                message: format!("{count} events were left out: this watcher reads too slowly"),
                ..Event::default()
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use futures::StreamExt;

    use super::{EVENTS_BEHIND_MAX, Event, Events};

    #[tokio::test]
    async fn a_slow_watcher_is_told_how_many_it_missed() {
        let events = Events::default();
        let mut watch = Box::pin(events.watch());
        for number in 0..EVENTS_BEHIND_MAX + 10 {
            events.tell(Event {
                message: number.to_string(),
                ..Event::default()
            });
        }
        let first = watch.next().await.unwrap();
        assert_eq!(first.kind, "missed");
        assert!(first.message.starts_with("10 events"), "{}", first.message);
        assert_eq!(watch.next().await.unwrap().message, "10");
    }
}
