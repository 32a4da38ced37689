//! Who holds which delivery, which answers are on their way, and how much credit is owed: a pure machine, and the desk
//! that application and session reach it by.
//!
//! Bounds: a delivery takes one of `window` places from the grant of its credit until its answer is handed to the
//! transport (or, if it was taken back, until the application lets go of it), so deliveries and unsent answers together
//! never exceed the window; answers that wait for their outcome are at most [`AWAITING_MAX`].

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::{Notify, oneshot};

use super::delivery::{Live, Outcome, Revocation};
use crate::{error::Error, metadata};

/// Answers without an outcome; as many results as the server remembers.
const AWAITING_MAX: usize = 10_000;
/// Refs in one message.
const REFS_PER_MESSAGE: usize = 256;

/// What an application says of a delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Ack,
    Retry,
    Reject(String),
}

/// Where the outcome goes.
#[derive(Debug)]
pub(super) struct Reply(pub(super) oneshot::Sender<Result<Outcome, Error>>);

impl Reply {
    fn settle(self, outcome: Result<Outcome, Error>) {
        // Nobody has to wait for an outcome.
        drop(self.0.send(outcome));
    }
}

#[derive(Debug)]
struct Given {
    reference: String,
    verdict: Verdict,
    reply: Option<Reply>,
    /// Whether its sending frees a place; an answer that is sent a second time freed it the first time.
    frees: bool,
}

#[derive(Debug)]
pub(super) struct Ledger {
    /// Places that are not granted as credit.
    free: u32,
    /// Credit that the present stream has not used.
    granted: u32,
    live: HashMap<String, Arc<Live>>,
    unsent: VecDeque<Given>,
    awaiting: HashMap<String, Given>,
    closing: bool,
    ended: bool,
    /// Whether the end left answers without an outcome.
    unheard: bool,
}

impl Ledger {
    pub(super) fn new(window: u32) -> Self {
        Ledger {
            free: window,
            granted: 0,
            live: HashMap::new(),
            unsent: VecDeque::new(),
            awaiting: HashMap::new(),
            closing: false,
            ended: false,
            unheard: false,
        }
    }

    /// A delivery has arrived; fails when no credit was granted for it.
    pub(super) fn delivered(&mut self, reference: &str) -> Result<Arc<Live>, Error> {
        if self.granted == 0 {
            return Err(Error::Protocol("a delivery beyond the granted credit".to_owned()));
        }
        self.granted -= 1;
        let live = Arc::new(Live::default());
        self.live.insert(reference.to_owned(), Arc::clone(&live));
        Ok(live)
    }

    /// A delivery that the consumer no longer takes, since it is closing: the half-close gives it back.
    pub(super) fn passed(&mut self) {
        self.granted = self.granted.saturating_sub(1);
    }

    pub(super) fn answer(&mut self, reference: &str, live: &Live, verdict: Verdict, reply: Option<Reply>) {
        self.live.remove(reference);
        if self.ended {
            if let Some(reply) = reply {
                reply.settle(Err(Error::Closed));
            }
        } else if live.revocation().is_some() {
            self.free += 1;
            if let Some(reply) = reply {
                reply.settle(Ok(Outcome::Stale));
            }
        } else {
            self.unsent.push_back(Given {
                reference: reference.to_owned(),
                verdict,
                reply,
                frees: true,
            });
        }
    }

    pub(super) fn revoked(&mut self, reference: &str, why: Revocation) {
        if let Some(live) = self.live.remove(reference) {
            live.revoke(why);
        }
    }

    pub(super) fn outcome(&mut self, reference: &str, outcome: Outcome) {
        if let Some(Given {
            reply: Some(reply), ..
        }) = self.awaiting.remove(reference)
        {
            reply.settle(Ok(outcome));
        }
    }

    pub(super) fn has_message(&self) -> bool {
        let answers = !self.unsent.is_empty() && self.awaiting.len() < AWAITING_MAX;
        answers || (self.free > 0 && !self.closing)
    }

    /// The next message to the server: answers in the order they were given, then credit for the places they freed.
    pub(super) fn message(&mut self) -> Option<Bytes> {
        if let Some(answers) = self.answers() {
            return Some(answers);
        }
        if self.free == 0 || self.closing {
            return None;
        }
        let credit = std::mem::take(&mut self.free);
        self.granted += credit;
        Some(metadata::credit(credit))
    }

    fn answers(&mut self) -> Option<Bytes> {
        if self.awaiting.len() >= AWAITING_MAX {
            return None;
        }
        let verdict = self.unsent.front()?.verdict.clone();
        let mut refs = Vec::new();
        while refs.len() < REFS_PER_MESSAGE
            && self.unsent.front().is_some_and(|given| given.verdict == verdict)
        {
            let Some(mut given) = self.unsent.pop_front() else {
                break;
            };
            self.free += u32::from(std::mem::take(&mut given.frees));
            refs.push(given.reference.clone());
            self.awaiting.insert(given.reference.clone(), given);
        }
        Some(match verdict {
            Verdict::Ack => metadata::ack(refs),
            Verdict::Retry => metadata::retry(refs),
            Verdict::Reject(reason) => metadata::reject(refs, reason),
        })
    }

    /// The stream is gone: what it delivered is revoked, its credit is void, and answers without an outcome are given
    /// again, since only the server knows whether they counted.
    pub(super) fn break_stream(&mut self) {
        for (_, live) in self.live.drain() {
            live.revoke(Revocation::StreamLost);
        }
        self.free += std::mem::take(&mut self.granted);
        for (_, given) in self.awaiting.drain() {
            self.unsent.push_front(given);
        }
    }

    pub(super) fn close(&mut self) {
        self.closing = true;
    }

    pub(super) fn is_closing(&self) -> bool {
        self.closing
    }

    /// Whether every answer has its outcome.
    pub(super) fn is_settled(&self) -> bool {
        !self.unheard && self.unsent.is_empty() && self.awaiting.is_empty()
    }

    /// Nothing will be sent any more.
    pub(super) fn end(&mut self, error: &Error) {
        self.ended = true;
        self.unheard |= !self.is_settled();
        let given = self
            .unsent
            .drain(..)
            .chain(self.awaiting.drain().map(|(_, given)| given));
        given
            .filter_map(|given| given.reply)
            .for_each(|reply| reply.settle(Err(error.clone())));
        for (_, live) in self.live.drain() {
            live.revoke(Revocation::StreamLost);
        }
    }
}

/// The ledger where application and session meet. Its lock is held for moments and never across a wait.
#[derive(Debug)]
pub(super) struct Desk {
    ledger: Mutex<Ledger>,
    changed: Notify,
}

impl Desk {
    pub(super) fn new(window: u32) -> Self {
        Desk {
            ledger: Mutex::new(Ledger::new(window)),
            changed: Notify::new(),
        }
    }

    /// Reads or changes the ledger for the session, which needs no waking by itself.
    pub(super) fn with<T>(&self, look: impl FnOnce(&mut Ledger) -> T) -> T {
        look(&mut self.ledger.lock())
    }

    /// Wakes when the application has changed something.
    pub(super) async fn changed(&self) {
        self.changed.notified().await;
    }

    pub(super) fn answer(&self, reference: &str, live: &Live, verdict: Verdict, reply: Option<Reply>) {
        self.ledger.lock().answer(reference, live, verdict, reply);
        self.changed.notify_one();
    }

    pub(super) fn close(&self) {
        self.ledger.lock().close();
        self.changed.notify_one();
    }

    /// The consumer is gone: its task ends with it, and so no answer can be sent any more.
    pub(super) fn abandon(&self) {
        self.ledger.lock().end(&Error::Closed);
    }

    pub(super) fn is_settled(&self) -> bool {
        self.ledger.lock().is_settled()
    }
}

#[cfg(test)]
mod tests;
