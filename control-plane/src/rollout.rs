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

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use nervix_clock::{PhysicalClock, PhysicalInstant};
use parking_lot::Mutex;
use tokio::sync::watch;

pub(crate) use message::{
    AssignStep, Assigned, AssignedDomain, Described, Failure, FromWorker, Line, Registration, ToWorker,
};
pub(crate) use session::{Session, SessionEnd};

use crate::{
    catalog::{Catalog, Identity, NodeRecord, State},
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
    identity: Identity,
    started: PhysicalInstant,
    sessions: Mutex<BTreeMap<String, Arc<Session>>>,
    /// Tells that a worker attached or detached.
    attached: watch::Sender<()>,
    /// When workers of this control plane went away or were expected last: nodes of the catalog, and those that were
    /// expected within a lease.
    lost: Mutex<BTreeMap<String, PhysicalInstant>>,
}

impl Workers {
    pub(crate) fn new(
        catalog: Catalog,
        clock: PhysicalClock,
        events: Events,
        lease: Duration,
        identity: Identity,
    ) -> Self {
        let started = clock.now();
        let shared = Shared {
            catalog,
            clock,
            events,
            lease,
            identity,
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

    /// What this control plane is to the others on its store.
    pub(crate) fn identity(&self) -> &Identity {
        &self.shared.identity
    }

    pub(crate) fn clock(&self) -> &PhysicalClock {
        &self.shared.clock
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

    /// The node that executes the graph and what is stored of it; nothing when it is gone.
    pub(crate) fn runner<'a>(&self, state: &'a State) -> Option<(&'a str, &'a NodeRecord)> {
        let node = state.placement.as_ref()?.node.as_str();
        let record = state.nodes.get(node)?;
        (!self.is_gone(state, node)).then_some((node, record))
    }

    /// Whether it is for this control plane to tell whether a node is there: it attached here last, or there is no other
    /// control plane.
    pub(crate) fn is_ours(&self, record: &NodeRecord) -> bool {
        record.control_plane.id == self.shared.identity.id
    }

    /// Whether a node that was attached here last has been away for a whole lease. One that is not in the catalog is gone.
    pub(crate) fn is_gone(&self, state: &State, node: &str) -> bool {
        let Some(record) = state.nodes.get(node) else {
            return true;
        };
        if self.session(node).is_some() || !self.is_ours(record) {
            return false;
        }
        self.shared.clock.now().since(self.away_since(node)) >= self.shared.lease
    }

    fn away_since(&self, node: &str) -> PhysicalInstant {
        let lost = self.shared.lost.lock();
        lost.get(node).copied().unwrap_or(self.shared.started)
    }

    /// Resolves when a node that is away counts as gone.
    pub(crate) async fn until_gone(&self, node: &str) {
        loop {
            let since = self.away_since(node);
            self.shared
                .clock
                .sleep_until(since.after(self.shared.lease))
                .await;
            if self.away_since(node) == since {
                return;
            }
        }
    }

    /// A node that registers is expected for a lease, wherever it was before.
    pub(crate) fn expect(&self, node: &str) {
        let mut lost = self.shared.lost.lock();
        lost.insert(node.to_owned(), self.shared.clock.now());
    }

    /// Tells that a worker attached or detached.
    pub(crate) fn subscribe(&self) -> watch::Receiver<()> {
        self.shared.attached.subscribe()
    }

    /// Begins the session of a worker whose registration is stored; an older one of the same node ends. Whoever opens it
    /// has to see to it that it is closed.
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
        self.shared.lost.lock().remove(session.node());
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
            let (now, state) = (self.shared.clock.now(), self.shared.catalog.state());
            let mut lost = self.shared.lost.lock();
            lost.insert(session.node().to_owned(), now);
            lost.retain(|node, since| {
                state.nodes.contains_key(node) || now.since(*since) < self.shared.lease
            });
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
