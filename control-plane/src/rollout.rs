//! Rolling out: every attached worker is told what it executes, and asked what only it knows.
//!
//! A worker that attaches gets the whole of its part of the state; from then on each change of the state becomes one
//! step, sent in order. What was sent is remembered per stream only: after a restart of either side the whole is sent
//! again, under the same generations, and the worker goes on with what is unchanged.
//!
//! It speaks in types of its own; `api` turns them into protobuf.

mod assign;
mod failures;
mod message;
mod session;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use nervix_clock::{PhysicalClock, PhysicalInstant};
use parking_lot::Mutex;
use tokio::sync::watch;

pub(crate) use message::{
    AssignStep, Assigned, AssignedDomain, Failure, FromWorker, Line, Registration, ToWorker,
};
pub(crate) use session::{Session, SessionEnd};

use crate::{
    catalog::Catalog,
    events::{Event, Events},
};

/// The workers that are attached to this control plane.
#[derive(Clone)]
pub(crate) struct Workers {
    shared: Arc<Shared>,
}

struct Shared {
    catalog: Catalog,
    clock: PhysicalClock,
    events: Events,
    lease: Duration,
    started: PhysicalInstant,
    sessions: Mutex<BTreeMap<String, Arc<Session>>>,
    /// Tells that a worker attached or detached.
    attached: watch::Sender<()>,
    /// When workers that were attached here went away.
    lost: Mutex<BTreeMap<String, PhysicalInstant>>,
}

impl Workers {
    pub(crate) fn new(catalog: Catalog, clock: PhysicalClock, events: Events, lease: Duration) -> Self {
        let started = clock.now();
        let shared = Shared {
            catalog,
            clock,
            events,
            lease,
            started,
            sessions: Mutex::default(),
            attached: watch::Sender::new(()),
            lost: Mutex::default(),
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    pub(crate) fn lease(&self) -> Duration {
        self.shared.lease
    }

    /// How many workers are attached.
    pub(crate) fn connected(&self) -> usize {
        self.shared.sessions.lock().len()
    }

    /// The session of an attached node.
    pub(crate) fn session(&self, node: &str) -> Option<Arc<Session>> {
        self.shared.sessions.lock().get(node).cloned()
    }

    /// The session of the node that executes the graph.
    pub(crate) fn owner(&self) -> Option<Arc<Session>> {
        let placement = self.shared.catalog.state().placement.clone()?;
        self.session(&placement.node)
    }

    /// The kinds of source and sink that some known worker can run; `None` while no worker is known.
    pub(crate) fn kinds(&self) -> Option<BTreeSet<String>> {
        let state = self.shared.catalog.state();
        let known = state.nodes.values().flat_map(|node| node.kinds.iter().cloned());
        (!state.nodes.is_empty()).then(|| known.collect())
    }

    /// The smallest bound of a Flight message among the known workers (flight.md "Ends and limits").
    pub(crate) fn flight_message_bytes_max(&self) -> Option<u64> {
        let state = self.shared.catalog.state();
        let bounds = state.nodes.values().map(|node| node.flight_message_bytes_max);
        bounds.filter(|bound| *bound > 0).min()
    }

    /// Whether a node has been away from this control plane for a whole lease.
    pub(crate) fn is_gone(&self, node: &str) -> bool {
        if self.session(node).is_some() {
            return false;
        }
        let since = self
            .shared
            .lost
            .lock()
            .get(node)
            .copied()
            .unwrap_or(self.shared.started);
        self.shared.clock.now().since(since) >= self.shared.lease
    }

    /// Resolves when a node that is away counts as gone.
    pub(crate) async fn until_gone(&self, node: &str) {
        let since = self
            .shared
            .lost
            .lock()
            .get(node)
            .copied()
            .unwrap_or(self.shared.started);
        self.shared
            .clock
            .sleep_until(since.after(self.shared.lease))
            .await;
    }

    /// Tells that a worker attached or detached.
    pub(crate) fn subscribe(&self) -> watch::Receiver<()> {
        self.shared.attached.subscribe()
    }

    /// Begins the session of a worker; an older one of the same node ends.
    pub(crate) fn open(&self, registration: Registration) -> Arc<Session> {
        let session = Arc::new(Session::new(
            registration,
            self.shared.clock.clone(),
            self.shared.lease,
        ));
        let older = self
            .shared
            .sessions
            .lock()
            .insert(session.node().to_owned(), Arc::clone(&session));
        if let Some(older) = older {
            older.replace();
        }
        self.shared.attached.send_replace(());
        self.tell(
            session.node(),
            "worker_attached",
            format!("worker {} attached", session.node()),
        );
        session
    }

    /// Ends a session, unless a newer one of the same node has taken its place.
    pub(crate) fn close(&self, session: &Arc<Session>, end: SessionEnd) {
        session.end();
        let mut sessions = self.shared.sessions.lock();
        if sessions
            .get(session.node())
            .is_some_and(|current| Arc::ptr_eq(current, session))
        {
            sessions.remove(session.node());
            self.shared
                .lost
                .lock()
                .insert(session.node().to_owned(), self.shared.clock.now());
        }
        drop(sessions);
        self.shared.attached.send_replace(());
        self.tell(
            session.node(),
            "worker_detached",
            format!("worker {} detached: {end}", session.node()),
        );
    }

    pub(crate) fn catalog(&self) -> &Catalog {
        &self.shared.catalog
    }

    pub(crate) fn events(&self) -> &Events {
        &self.shared.events
    }

    fn tell(&self, node: &str, kind: &str, message: String) {
        self.shared.events.tell(Event {
            at_ns: self.shared.clock.utc().0,
            kind: kind.into(),
            message,
            node: node.into(),
            ..Event::default()
        });
    }
}
