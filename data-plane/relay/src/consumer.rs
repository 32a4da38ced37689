//! One consumer's end of a relay.

use std::fmt;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use crate::batch::RelayBatch;
use crate::relay::{Relay, SeatId};

/// Receives what is published to a relay, in the order that all of its consumers see.
///
/// Dropped (a task that panics, a task that is replaced), it leaves its seat to whoever attaches next under the
/// same name; the seat goes on filling. Only [`Relay::detach`] removes it.
pub struct Consumer {
    relay: Arc<Relay>,
    seat: SeatId,
}

impl Consumer {
    pub(crate) fn new(relay: Arc<Relay>, seat: SeatId) -> Self {
        Self { relay, seat }
    }

    /// The relay it consumes.
    pub fn relay(&self) -> &Arc<Relay> {
        &self.relay
    }

    /// The next batch; nothing once the relay is closed, the seat removed, or another consumer attached under its
    /// name. Cancel-safe: a batch leaves the queue only together with the answer.
    pub async fn recv(&mut self) -> Option<RelayBatch> {
        poll_fn(|cx| self.poll_recv(cx)).await
    }

    /// [`Consumer::recv`] for those who watch several consumers at once.
    pub fn poll_recv(&mut self, cx: &mut Context<'_>) -> Poll<Option<RelayBatch>> {
        self.pop(Some(cx.waker()))
    }

    /// The next batch if there is one now.
    pub fn try_recv(&mut self) -> Option<RelayBatch> {
        match self.pop(None) {
            Poll::Ready(batch) => batch,
            Poll::Pending => None,
        }
    }

    /// Batches that wait for it.
    pub fn len(&self) -> usize {
        self.relay.with(|state| state.seats.queued(self.seat))
    }

    /// Whether no batch waits for it.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn pop(&mut self, waker: Option<&Waker>) -> Poll<Option<RelayBatch>> {
        self.relay.change(|state| state.pop(self.seat, waker))
    }
}

impl Drop for Consumer {
    fn drop(&mut self) {
        let waker = self.relay.with(|state| state.seats.vacate(self.seat));
        drop(waker);
    }
}

impl fmt::Debug for Consumer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Consumer")
            .field("relay", &self.relay.name())
            .field("queued", &self.len())
            .finish()
    }
}
