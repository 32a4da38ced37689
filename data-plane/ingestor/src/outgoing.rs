//! From flush buffers into one relay: gathers by branch, flushes when due, publishes with backpressure.
//!
//! Invariant: rows leave in the order in which they came, for each branch; a publish that has begun is never given up
//! except with the whole ingestor, whose rows then resolve as unresolved.

use std::sync::Arc;

use arrow::error::ArrowError;
use nervix_budget::Budget;
use nervix_clock::{DomainClock, Snapshot};
use nervix_columns::arrow_kind;
use nervix_flush::{Due, FlushPolicy, Gatherings};
use nervix_relay::{BranchRef, Closed, Relay, RelayBatch};
use nspl_model::Flush;

use crate::{
    piece::{Piece, batches, tidy},
    traffic::Flow,
};

/// Why rows did not reach their relay; they are unresolved.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OutgoingError {
    /// The relay has ended with its domain.
    #[error("the relay has ended")]
    Closed,
    /// Small batches could not be joined.
    #[error("batches could not be joined ({})", arrow_kind(.0))]
    Join(ArrowError),
}

impl From<Closed> for OutgoingError {
    fn from(_: Closed) -> Self {
        Self::Closed
    }
}

/// The buffers before one relay.
#[derive(Debug)]
pub(crate) struct Outgoing {
    relay: Arc<Relay>,
    policy: FlushPolicy,
    clock: DomainClock,
    budget: Budget,
    buffers: Gatherings<Option<BranchRef>, Piece, Due>,
}

impl Outgoing {
    pub(crate) fn new(relay: Arc<Relay>, flush: Flush, clock: DomainClock, budget: Budget) -> Self {
        Self {
            relay,
            policy: FlushPolicy::new(clock.clone(), flush),
            clock,
            budget,
            buffers: Gatherings::default(),
        }
    }

    /// Takes rows of one branch in; publishes when the size boundary is reached.
    pub(crate) async fn push(
        &mut self,
        branch: Option<BranchRef>,
        piece: Piece,
        flow: &Flow,
    ) -> Result<(), OutgoingError> {
        let bytes = piece.bytes;
        let policy = &self.policy;
        let full = self.buffers.push(
            branch.clone(),
            (piece, bytes),
            || policy.due(),
            policy.bytes_max(),
        );
        match full {
            Some(pieces) => self.publish(branch, pieces, flow).await,
            None => match self.buffers.items_mut(&branch) {
                Some(pieces) => tidy(pieces, &self.budget).map_err(OutgoingError::Join),
                None => Ok(()),
            },
        }
    }

    /// A snapshot of now.
    pub(crate) fn snapshot(&self) -> Snapshot {
        self.clock.snapshot()
    }

    /// Bytes that wait for their boundary.
    pub(crate) fn gathered_bytes(&self) -> u64 {
        self.buffers.bytes()
    }

    /// When the next buffer is due.
    pub(crate) fn next_due(&self) -> Option<Due> {
        self.buffers.next_due()
    }

    /// Installs another FLUSH; what is buffered keeps its boundary until it is flushed.
    pub(crate) fn install_flush(&mut self, flush: Flush) {
        self.policy.install(flush);
    }

    /// Its policy.
    pub(crate) fn policy(&self) -> &FlushPolicy {
        &self.policy
    }

    /// Publishes what is due.
    pub(crate) async fn flush_due(&mut self, flow: &Flow) -> Result<(), OutgoingError> {
        loop {
            let policy = &self.policy;
            let Some((branch, pieces)) = self.buffers.take_due(|due| policy.passed(due)) else {
                return Ok(());
            };
            self.publish(branch, pieces, flow).await?;
        }
    }

    /// Publishes everything.
    pub(crate) async fn flush_all(&mut self, flow: &Flow) -> Result<(), OutgoingError> {
        while let Some((branch, pieces)) = self.buffers.take_due(|_| true) {
            self.publish(branch, pieces, flow).await?;
        }
        Ok(())
    }

    async fn publish(
        &self,
        branch: Option<BranchRef>,
        pieces: Vec<Piece>,
        flow: &Flow,
    ) -> Result<(), OutgoingError> {
        for piece in batches(pieces, &self.budget).map_err(OutgoingError::Join)? {
            flow.count(piece.records.num_rows(), piece.bytes);
            let batch = RelayBatch {
                records: piece.records,
                share: piece.share,
                branch: branch.clone(),
                // A snapshot of its own: volatile functions downstream must not repeat those evaluated here.
                snapshot: Arc::new(self.clock.snapshot()),
                timestamps: piece.times,
                held: piece.held,
            };
            self.relay.publish(batch).await?;
        }
        Ok(())
    }
}
