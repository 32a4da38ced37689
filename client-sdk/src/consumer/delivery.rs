//! One attempt to deliver one batch, and its answer.

use std::{
    fmt,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use arrow::array::RecordBatch;
use tokio::sync::{Notify, oneshot};

use super::ledger::{Desk, Reply, Verdict};
use crate::{error::Error, metadata};

/// What the server made of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The batch is delivered.
    Confirmed,
    /// The batch will be delivered again, after the emitter's backoff.
    Retrying,
    /// The batch follows the emitter's ON MESSAGE ERROR.
    Rejected,
    /// The answer did not count: the delivery had been taken back, or was answered differently before.
    Stale,
}

/// Why a delivery was taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Revocation {
    /// ACK TIMEOUT has passed since the assignment.
    Timeout,
    /// The domain was stopped.
    Stopped,
    /// The emitter was replaced by one of the same output schema.
    Changed,
    /// The stream that it came on is gone.
    StreamLost,
}

/// The state that delivery and session share.
#[derive(Debug, Default)]
pub(super) struct Live {
    revoked: AtomicU8,
    changed: Notify,
}

impl Live {
    pub(super) fn revoke(&self, why: Revocation) {
        let code = match why {
            Revocation::Timeout => 1,
            Revocation::Stopped => 2,
            Revocation::Changed => 3,
            Revocation::StreamLost => 4,
        };
        self.revoked.store(code, Ordering::Release);
        self.changed.notify_waiters();
    }

    pub(super) fn revocation(&self) -> Option<Revocation> {
        match self.revoked.load(Ordering::Acquire) {
            0 => None,
            1 => Some(Revocation::Timeout),
            2 => Some(Revocation::Stopped),
            3 => Some(Revocation::Changed),
            _ => Some(Revocation::StreamLost),
        }
    }
}

/// What the server says about a delivery.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    pub(super) reference: String,
    pub(super) batch: String,
    pub(super) attempt: u32,
    pub(super) source: String,
    pub(super) branch: String,
    pub(super) ack_timeout: Duration,
}

/// One attempt to deliver one batch. Answer it once; dropping it unanswered is a retry.
pub struct Delivery {
    facts: Facts,
    rows: RecordBatch,
    live: Arc<Live>,
    desk: Arc<Desk>,
    answered: bool,
}

impl Delivery {
    pub(super) fn new(facts: Facts, rows: RecordBatch, live: Arc<Live>, desk: Arc<Desk>) -> Self {
        Delivery {
            facts,
            rows,
            live,
            desk,
            answered: false,
        }
    }

    /// The rows. Cloning a batch copies no values.
    #[must_use]
    pub fn batch(&self) -> &RecordBatch {
        &self.rows
    }

    /// Names this attempt.
    #[must_use]
    pub fn reference(&self) -> &str {
        &self.facts.reference
    }

    /// Names the batch over all its attempts: what an idempotent application remembers.
    #[must_use]
    pub fn batch_id(&self) -> &str {
        &self.facts.batch
    }

    /// Counts from 1.
    #[must_use]
    pub fn attempt(&self) -> u32 {
        self.facts.attempt
    }

    /// The relay that the rows come from.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.facts.source
    }

    /// Opaque fingerprint of the concrete branch; empty for unbranched rows.
    #[must_use]
    pub fn branch(&self) -> &str {
        &self.facts.branch
    }

    /// How long the application has to answer, counted from the server's assignment.
    #[must_use]
    pub fn ack_timeout(&self) -> Duration {
        self.facts.ack_timeout
    }

    /// Why the delivery was taken back, when it was: then its work is somebody else's, and an answer would be stale.
    #[must_use]
    pub fn revocation(&self) -> Option<Revocation> {
        self.live.revocation()
    }

    /// Waits until the delivery is taken back; for long work that should stop then.
    pub async fn revoked(&self) -> Revocation {
        loop {
            let changed = self.live.changed.notified();
            tokio::pin!(changed);
            // Registered before the look, so that a revocation in between is not missed.
            changed.as_mut().enable();
            if let Some(why) = self.live.revocation() {
                return why;
            }
            changed.await;
        }
    }

    /// The batch is processed. The answer is sent whether or not the receipt is awaited.
    pub fn ack(self) -> Receipt {
        self.answer(Verdict::Ack)
    }

    /// Deliver the batch again, after the emitter's backoff.
    pub fn retry(self) -> Receipt {
        self.answer(Verdict::Retry)
    }

    /// The batch cannot be processed: the emitter's ON MESSAGE ERROR takes each of its rows, with `reason` as
    /// `error.message`. The reason must not quote a value of a record.
    ///
    /// # Errors
    /// [`Error::Reason`] when it is not 1 to 256 bytes of `[A-Za-z0-9_.:-]`; the delivery then counts as dropped.
    pub fn reject(self, reason: &str) -> Result<Receipt, Error> {
        if !metadata::reason_is_well_formed(reason) {
            return Err(Error::Reason);
        }
        Ok(self.answer(Verdict::Reject(reason.to_owned())))
    }

    fn answer(mut self, verdict: Verdict) -> Receipt {
        self.answered = true;
        let (sender, receiver) = oneshot::channel();
        self.desk
            .answer(&self.facts.reference, &self.live, verdict, Some(Reply(sender)));
        Receipt { outcome: receiver }
    }
}

impl Drop for Delivery {
    fn drop(&mut self) {
        if !self.answered {
            self.desk
                .answer(&self.facts.reference, &self.live, Verdict::Retry, None);
        }
    }
}

impl fmt::Debug for Delivery {
    /// Without the rows: values of records do not belong in logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Delivery")
            .field("facts", &self.facts)
            .field("rows", &self.rows.num_rows())
            .finish_non_exhaustive()
    }
}

/// The future of an answer's [`Outcome`]. Dropping it is harmless: the answer is sent all the same.
#[derive(Debug)]
pub struct Receipt {
    outcome: oneshot::Receiver<Result<Outcome, Error>>,
}

impl Future for Receipt {
    type Output = Result<Outcome, Error>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.outcome)
            .poll(cx)
            .map(|outcome| outcome.unwrap_or(Err(Error::Closed)))
    }
}
