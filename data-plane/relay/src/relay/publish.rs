//! The way of a batch into all queues at once.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use nervix_ack::{Fate, Share};

use super::{Relay, State};
use crate::batch::RelayBatch;
use crate::line::Ticket;
use crate::state::{Candidate, Receipt};

/// The relay has ended; the batch went nowhere and its share resolves as unresolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the relay has ended")]
pub struct Closed;

/// The future of [`Relay::publish`].
#[must_use = "nothing is published until this is awaited"]
pub struct Publish<'a> {
    relay: &'a Arc<Relay>,
    batch: Option<RelayBatch>,
    candidate: Option<Candidate>,
    ticket: Option<Ticket>,
}

/// What remains to be done once the lock is released.
struct After {
    woken: Vec<Waker>,
    /// The share of a batch that no ATTACHED consumer took.
    unclaimed: Option<Share>,
    /// A batch that nobody took.
    unseen: Option<RelayBatch>,
}

impl<'a> Publish<'a> {
    pub(super) fn new(relay: &'a Arc<Relay>, batch: RelayBatch) -> Self {
        debug_assert_eq!(batch.rows(), batch.share.len(), "a share row per record");
        debug_assert_eq!(batch.rows(), batch.timestamps.len(), "a timestamp per record");
        let state = relay.materialized();
        Self {
            relay,
            candidate: state.map(|state| state.candidate(&batch)),
            batch: Some(batch),
            ticket: None,
        }
    }
}

impl Future for Publish<'_> {
    type Output = Result<(), Closed>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(batch) = self.batch.take() else {
            return Poll::Ready(Ok(()));
        };
        if batch.rows() == 0 {
            return Poll::Ready(Ok(()));
        }
        let ticket = self.ticket.take();
        let mut state = self.relay.state.lock();
        if state.closed {
            state.publishers.leave(ticket);
            drop(state);
            return Poll::Ready(Err(Closed));
        }
        if !state.admits(ticket) {
            let ticket = state.publishers.stay(ticket, cx.waker());
            drop(state);
            self.ticket = Some(ticket);
            self.batch = Some(batch);
            return Poll::Pending;
        }
        state.publishers.leave(ticket);
        let written = self.candidate.take().zip(self.relay.materialized());
        let replaced = written.map(|(candidate, kept)| {
            state.unwritten += 1;
            let relay = Arc::downgrade(self.relay);
            let receipt = Receipt::new(batch.share.fork(), batch.branch.clone(), relay);
            kept.take(candidate, receipt)
        });
        let after = deliver(&mut state, batch);
        drop(state);
        after.run();
        if let Some(replaced) = replaced {
            replaced.run();
            self.relay.materialized().into_iter().for_each(|kept| kept.trim());
        }
        Poll::Ready(Ok(()))
    }
}

impl Drop for Publish<'_> {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket.take() {
            self.relay.change(|state| state.publishers.leave(Some(ticket)));
        }
    }
}

/// Puts the batch into every queue and passes the turn to the next publisher.
fn deliver(state: &mut State, batch: RelayBatch) -> After {
    let (unclaimed, unseen) = state.seats.push(batch);
    let mut after = After {
        woken: Vec::new(),
        unclaimed,
        unseen,
    };
    state.seats.wake_receivers(&mut after.woken);
    after.woken.extend(state.next_publisher());
    after
}

impl After {
    fn run(self) {
        self.woken.into_iter().for_each(Waker::wake);
        if let Some(share) = self.unclaimed {
            share.settle(Fate::Done);
        }
        drop(self.unseen);
    }
}

impl fmt::Debug for Publish<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Publish")
            .field("relay", &self.relay.name())
            .field("batch", &self.batch)
            .finish()
    }
}
