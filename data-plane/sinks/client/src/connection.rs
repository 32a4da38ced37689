//! The side of an application: one consumer's stream.
//!
//! Invariant: dropping a [`ConsumerSession`] revokes what it holds. Outcomes are bounded, and are read before
//! deliveries: one task may read a delivery and answer it, read the next and answer it, whatever its credit.

use std::sync::Arc;

use crate::consumers::ConsumerId;
use crate::event::{EndReason, SessionEvent};
use crate::exchange::{Shared, State, Wakers};
use crate::machine::Answer;
use crate::reference::{MalformedAnswer, check_reason, check_refs};

/// How a consumer connects.
#[derive(Debug, Clone, Copy, Default)]
pub struct ConnectOptions {
    /// Another node forwards this consumer's stream.
    pub forwarded: bool,
}

/// The stream of one consumer. Reading and answering may happen from two tasks through a shared reference; there is one
/// reader at a time.
pub struct ConsumerSession {
    shared: Arc<Shared>,
    id: ConsumerId,
    wakers: Arc<Wakers>,
}

impl ConsumerSession {
    pub(crate) fn open(
        shared: &Arc<Shared>,
        edition: u64,
        options: ConnectOptions,
    ) -> Result<Self, EndReason> {
        let wakers = Arc::new(Wakers::default());
        let id = shared.step(|state| match state.refusal(edition) {
            Some(reason) => Err(reason),
            None => {
                let id = state.machine.connect(options.forwarded);
                state.wakers.insert(id, wakers.clone());
                Ok(id)
            }
        })?;
        Ok(Self {
            shared: shared.clone(),
            id,
            wakers,
        })
    }

    /// A message without effect came (`hello`, an empty one): the consumer is not suspended any more.
    pub fn hello(&self) {
        self.step(|state, id| state.machine.heard(id));
    }

    /// Lets the server send `batches` more; 0 does nothing, sums saturate.
    pub fn grant(&self, batches: u32) {
        self.step(|state, id| state.machine.grant(id, batches));
    }

    /// The batches of these refs are processed. Waits while too many outcomes are unread.
    ///
    /// # Errors
    /// A malformed ref; nothing has taken effect then.
    pub async fn ack(&self, refs: &[String]) -> Result<(), MalformedAnswer> {
        self.answer(refs, &Answer::Ack).await
    }

    /// The batches of these refs shall come again, after the emitter's backoff. Waits while too many outcomes are unread.
    ///
    /// # Errors
    /// A malformed ref; nothing has taken effect then.
    pub async fn retry(&self, refs: &[String]) -> Result<(), MalformedAnswer> {
        self.answer(refs, &Answer::Retry).await
    }

    /// The batches of these refs cannot be processed: their members follow ON MESSAGE ERROR. Waits while too many
    /// outcomes are unread.
    ///
    /// # Errors
    /// A malformed ref or reason; nothing has taken effect then.
    pub async fn reject(&self, refs: &[String], reason: &str) -> Result<(), MalformedAnswer> {
        check_reason(reason)?;
        self.answer(
            refs,
            &Answer::Reject {
                reason: reason.to_owned(),
            },
        )
        .await
    }

    /// The next event; none after [`SessionEvent::End`]. Cancel-safe: an event is taken only when it is returned.
    pub async fn recv(&self) -> Option<SessionEvent> {
        loop {
            let event = self.step(|state, id| state.machine.take_event(id));
            match event {
                Some(SessionEvent::End(reason)) => {
                    self.leave();
                    return Some(SessionEvent::End(reason));
                }
                Some(event) => {
                    self.wakers.room.notify_one();
                    return Some(event);
                }
                None if self.has_left() => return None,
                None => self.wakers.events.notified().await,
            }
        }
    }

    /// The application closed its side: what it holds is revoked, what it said is answered, then the stream ends.
    pub fn half_close(&self) {
        self.step(|state, id| state.machine.half_close(id));
    }

    async fn answer(&self, refs: &[String], answer: &Answer) -> Result<(), MalformedAnswer> {
        check_refs(refs)?;
        if refs.is_empty() {
            self.hello();
        }
        let mut rest = refs.iter();
        let mut next = rest.next();
        while let Some(reference) = next {
            let taken = self.step(|state, id| {
                let room = !state.machine.must_read_first(id, reference);
                if room {
                    state.machine.answer(id, reference.clone(), answer.clone());
                }
                room || !state.wakers.contains_key(&id)
            });
            if taken {
                next = rest.next();
            } else {
                self.wakers.room.notified().await;
            }
        }
        Ok(())
    }

    fn step<T>(&self, act: impl FnOnce(&mut State, ConsumerId) -> T) -> T {
        self.shared.step(|state| act(state, self.id))
    }

    fn leave(&self) {
        self.step(|state, id| {
            state.machine.disconnect(id);
            state.wakers.remove(&id);
        });
        self.wakers.events.notify_one();
        self.wakers.room.notify_one();
    }

    fn has_left(&self) -> bool {
        !self.shared.state.lock().wakers.contains_key(&self.id)
    }
}

impl Drop for ConsumerSession {
    fn drop(&mut self) {
        self.leave();
    }
}

#[cfg(test)]
mod tests;
