//! The connections of one CLIENT, shared by its emitters (`emitters.txt`, Postgres: POOL SIZE).
//!
//! Invariants: never more than MAX connections are open, since one is made only by whoever has one of MAX permits and finds
//! no other unused; whoever waits for a permit is served in the order of arrival. MIN of them are made when an emitter opens,
//! and are not closed for being unused.

use std::collections::VecDeque;
use std::sync::Arc;

use nervix_clock::PhysicalInstant;
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::dial::Shared;
use crate::fault::Fault;
use crate::limits::IDLE_TIME;
use crate::session::Session;

/// See the module.
pub(crate) struct Pool {
    shared: Shared,
    permits: Arc<Semaphore>,
    /// The one that was used last is at the back.
    unused: Mutex<VecDeque<Unused>>,
}

struct Unused {
    session: Session,
    since: PhysicalInstant,
}

/// A connection in use. Dropping it closes it.
pub(crate) struct Lease {
    pool: Arc<Pool>,
    session: Session,
    _permit: OwnedSemaphorePermit,
}

impl Pool {
    pub(crate) fn new(shared: Shared) -> Self {
        Self {
            permits: Arc::new(Semaphore::new(shared.config.pool_max)),
            unused: Mutex::default(),
            shared,
        }
    }

    /// What its connections are made with.
    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }

    /// An unused connection, or a new one while there are fewer than MAX; else the first that is given back.
    pub(crate) async fn lease(self: &Arc<Self>) -> Result<Lease, Fault> {
        let permit = Arc::clone(&self.permits).acquire_owned().await;
        self.lease_by(permit.map_err(|_| Fault::Closed)?).await
    }

    async fn lease_by(self: &Arc<Self>, permit: OwnedSemaphorePermit) -> Result<Lease, Fault> {
        let session = match self.take_unused() {
            Some(session) => session,
            None => self.shared.dial().await?,
        };
        Ok(Lease {
            pool: Arc::clone(self),
            session,
            _permit: permit,
        })
    }

    /// The one that was used last and has not ended.
    fn take_unused(&self) -> Option<Session> {
        loop {
            let mut session = self.unused.lock().pop_back()?.session;
            if session.is_alive() {
                return Some(session);
            }
        }
    }

    /// Makes connections until there are MIN; what keeps them from being made is told to whoever needs one.
    pub(crate) async fn fill(self: &Arc<Self>) {
        let config = &self.shared.config;
        let in_use = config.pool_max.saturating_sub(self.permits.available_permits());
        let mut leases = Vec::new();
        for _ in in_use..config.pool_min {
            let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() else {
                break;
            };
            match self.lease_by(permit).await {
                Ok(lease) => leases.push(lease),
                Err(_) => break,
            }
        }
        leases.into_iter().for_each(Lease::give_back);
    }

    /// Closes all that are unused, in good order, until `deadline` at most; no other will be made.
    pub(crate) async fn close(&self, deadline: PhysicalInstant) {
        self.permits.close();
        let unused = std::mem::take(&mut *self.unused.lock());
        let closing = unused.into_iter().map(|unused| unused.session.close());
        let closing = futures::future::join_all(closing);
        let ended = self.shared.dialler.clock().timeout_at(deadline, closing).await;
        // What did not end in time is closed without a farewell.
        drop(ended);
    }

    fn keep(&self, session: Session) {
        let now = self.shared.dialler.clock().now();
        let mut unused = self.unused.lock();
        unused.push_back(Unused { session, since: now });
        let is_old = |unused: &Unused| now.since(unused.since) > IDLE_TIME;
        while unused.len() > self.shared.config.pool_min && unused.front().is_some_and(is_old) {
            unused.pop_front();
        }
    }
}

impl Lease {
    /// The connection.
    pub(crate) fn session(&mut self) -> &mut Session {
        &mut self.session
    }

    /// It is in order, and nothing of it is under way: others may use it.
    pub(crate) fn give_back(self) {
        self.pool.keep(self.session);
    }
}
