//! Runtime events as an async stream.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use futures::Stream;
use nervix_proto::v1;
use tonic::Streaming;

use crate::error::Error;

/// Something that happened to an entity or a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Nanoseconds since 1970-01-01T00:00:00Z.
    pub at_ns: i64,
    /// The domain; empty for events of a node.
    pub domain: String,
    /// The entity's kind, in NSPL's words; empty for events of a node.
    pub entity_kind: String,
    /// The entity's name.
    pub entity_name: String,
    /// A stable word, such as `started`, `unavailable`, `recovered`, `rejected`, `missed`.
    pub kind: String,
    /// A sentence for a person.
    pub message: String,
    /// The node that it happened on.
    pub node: String,
}

/// Runtime events, until it is dropped or the server goes.
#[derive(Debug)]
pub struct EventStream {
    events: Streaming<v1::Event>,
}

impl EventStream {
    pub(crate) fn new(events: Streaming<v1::Event>) -> Self {
        EventStream { events }
    }
}

impl Stream for EventStream {
    type Item = Result<Event, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = Pin::new(&mut self.events).poll_next(cx);
        next.map(|item| item.map(|event| event.map(Event::from).map_err(Error::from)))
    }
}

impl From<v1::Event> for Event {
    fn from(event: v1::Event) -> Self {
        Event {
            at_ns: event.at_ns,
            domain: event.domain,
            entity_kind: event.entity_kind,
            entity_name: event.entity_name,
            kind: event.kind,
            message: event.message,
            node: event.node,
        }
    }
}
