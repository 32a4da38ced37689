//! The side of the emitter: the session shape over an exchange.
//!
//! Invariant: a sink of an earlier run can neither offer nor take anything any more. A sink that is dropped without
//! being closed (a panic, a cancelled task) takes back what it had out, as changed.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use nervix_sink::{Offer, RevokeReason, SessionAnswer, SessionSink, SessionWatch};

use crate::exchange::{SessionOptions, Shared};

/// The sink of one run of one CLIENT emitter.
pub(crate) struct ClientSink {
    shared: Arc<Shared>,
    session: u64,
}

impl ClientSink {
    pub(crate) fn open(shared: &Arc<Shared>, options: SessionOptions) -> Self {
        let session = shared.step(|state| state.begin_session(options.ack_timeout));
        Self {
            shared: shared.clone(),
            session,
        }
    }

    async fn wait(&self) -> SessionAnswer {
        loop {
            let (answer, deadline) = self.poll_answer();
            match (answer, deadline) {
                (Some(answer), _) => return answer,
                (None, None) => self.shared.emitter.notified().await,
                (None, Some(deadline)) => {
                    tokio::select! {
                        () = self.shared.emitter.notified() => {}
                        () = self.shared.clock.sleep_until(deadline) => {}
                    }
                }
            }
        }
    }

    fn poll_answer(&self) -> (Option<SessionAnswer>, Option<nervix_clock::PhysicalInstant>) {
        self.shared.step(|state| {
            if !state.is_session(self.session) {
                return (None, None);
            }
            (state.machine.take_answer(), state.machine.next_deadline())
        })
    }
}

impl SessionSink for ClientSink {
    fn offer(&mut self, offer: Offer) {
        self.shared.step(|state| {
            if state.is_session(self.session) {
                state.machine.offer(offer);
            }
        });
    }

    fn next_answer(&mut self) -> BoxFuture<'_, SessionAnswer> {
        self.wait().boxed()
    }

    fn take_answer(&mut self) -> Option<SessionAnswer> {
        self.poll_answer().0
    }

    fn close(&mut self, reason: RevokeReason) {
        self.shared.step(|state| {
            if state.is_session(self.session) {
                state.machine.close(reason);
                state.session = None;
            }
        });
    }

    fn watch(&self) -> Arc<dyn SessionWatch> {
        self.shared.clone()
    }
}

impl Drop for ClientSink {
    fn drop(&mut self) {
        self.close(RevokeReason::Changed);
    }
}
