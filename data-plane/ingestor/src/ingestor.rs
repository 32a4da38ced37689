//! An ingestor at work: from admitted batches to relays.
//!
//! decode failures -> FILTER -> routes (each forks the share) -> construct -> WHERE -> branch keys -> flush buffers ->
//! relay, with backpressure. Invariants: each row of an arrival leaves exactly once on each route; whatever is dropped
//! with this task (panic, STOP) resolves as unresolved; what is gathered leaves before its boundary where it is an
//! ingestor's share of the node's budget, or where ways in wait for that. Conversion, admission and answers belong to the
//! source.

use std::{fmt, sync::Arc};

use nervix_ack::Fate;
use nervix_budget::Budget;
use nervix_clock::{DomainClock, Snapshot};
use nervix_columns::{Rejected, filter, held_bytes};
use nervix_expr::{CompileError, Failure, FailureSite, Frame, Predicate};
use nervix_relay::{Branches, Relay};
use nspl_model::{
    BranchDef, Flush, IngestorDef, RelayDef,
    record_error::{ErrorCode, Operation},
};
use tokio::sync::mpsc;

use crate::{
    arrival::Arrival,
    error_policy::PolicyParts,
    handle::IngestorRequests,
    outgoing::OutgoingError,
    route::{Others, Route, RouteError, Rows},
    traffic::IngestorTraffic,
};

/// What an ingestor needs of its surroundings.
#[derive(Clone, Debug)]
pub struct IngestorParts {
    /// What it does.
    pub def: Arc<IngestorDef>,
    /// How log lines name it.
    pub title: Arc<str>,
    /// Where its routes lead.
    pub relays: Arc<dyn Relays>,
    /// The clock of the domain's run.
    pub clock: DomainClock,
    /// The node's budget, which copies are counted in.
    pub budget: Budget,
    /// Counters; they outlive incarnations.
    pub traffic: Arc<IngestorTraffic>,
}

/// The relays and branch tables of the domain's run.
pub trait Relays: fmt::Debug + Send + Sync {
    /// The relay of `def`.
    fn relay(&self, def: &Arc<RelayDef>) -> Arc<Relay>;
    /// The instances of `def`.
    fn branches(&self, def: &Arc<BranchDef>) -> Branches;
}

/// One incarnation of an ingestor.
pub struct Ingestor {
    filter: Option<Predicate>,
    routes: Vec<Route>,
    parts: IngestorParts,
}

impl Ingestor {
    /// # Errors
    /// When an expression of the definition does not compile.
    pub fn compile(parts: IngestorParts) -> Result<Self, CompileError> {
        let def = &parts.def;
        let policy = PolicyParts {
            title: &parts.title,
            clock: &parts.clock,
            budget: &parts.budget,
            traffic: &parts.traffic,
            relays: &*parts.relays,
        };
        let routes = def.routes.iter().map(|route| Route::compile(route, &policy));
        let routes = routes.collect::<Result<Vec<_>, _>>()?;
        let filter = def.filter.as_ref();
        let filter = filter
            .map(|expr| Predicate::compile(expr, Operation::Filter))
            .transpose()?;
        Ok(Self {
            filter,
            routes,
            parts,
        })
    }

    /// Runs until it is cancelled, or its source or its handle goes.
    pub async fn run(mut self, queue: &mut mpsc::Receiver<Arrival>, requests: IngestorRequests) {
        let IngestorRequests { drains, mut flush } = requests;
        let mut drains = drains.lock_owned().await;
        loop {
            if flush.has_changed().unwrap_or(false) {
                let installed = flush.borrow_and_update().clone();
                self.install_flush(&installed).await;
            }
            // Timers are set only when there is nothing else to do: setting one costs more than a small batch.
            self.flush_due().await;
            if self.gathered_bytes() >= self.parts.budget.queue_bytes() {
                self.flush_all().await;
            }
            if let Ok(arrival) = queue.try_recv() {
                self.ingest(arrival).await;
                continue;
            }
            tokio::select! {
                biased;
                () = self.wait_due() => {}
                turn = self.parts.budget.defer(self.gathered_bytes()) => {
                    // Its relay may make it wait.
                    drop(turn);
                    self.flush_all().await;
                }
                Ok(()) = flush.changed() => flush.mark_changed(),
                drain = drains.recv() => match drain {
                    Some(done) => {
                        self.empty(queue).await;
                        if done.send(()).is_err() {
                            tracing::debug!(entity = %self.parts.title, "whoever asked for a drain has gone");
                        }
                    }
                    None => return,
                },
                arrival = queue.recv() => match arrival {
                    Some(arrival) => self.ingest(arrival).await,
                    None => return,
                },
            }
        }
    }

    /// Bytes that wait for their boundary.
    fn gathered_bytes(&self) -> u64 {
        self.routes.iter().map(Route::gathered_bytes).sum()
    }

    async fn wait_due(&self) {
        let first = self
            .routes
            .iter()
            .filter_map(|route| Some((route.next_due()?, route)));
        // Boundaries of different clocks do not compare, so each route waits for its own.
        let waits: Vec<_> = first.map(|(due, route)| Box::pin(route.wait(due))).collect();
        if waits.is_empty() {
            std::future::pending::<()>().await;
        }
        futures::future::select_all(waits).await;
    }

    async fn flush_due(&mut self) {
        for number in 0..self.routes.len() {
            if let Some(route) = self.routes.get_mut(number) {
                let flushed = route.flush_due().await;
                self.note(flushed);
            }
        }
    }

    /// Takes what is queued and publishes everything.
    async fn empty(&mut self, queue: &mut mpsc::Receiver<Arrival>) {
        while let Ok(arrival) = queue.try_recv() {
            self.ingest(arrival).await;
        }
        self.flush_all().await;
    }

    /// Class DYNAMIC: what is buffered leaves, and what comes is gathered by the new clauses.
    async fn install_flush(&mut self, flush: &[Flush]) {
        for (route, flush) in self.routes.iter_mut().zip(flush) {
            route.install_flush(*flush);
        }
        self.flush_all().await;
    }

    async fn flush_all(&mut self) {
        for number in 0..self.routes.len() {
            if let Some(route) = self.routes.get_mut(number) {
                let flushed = route.flush_all().await;
                self.note(flushed);
            }
        }
    }

    async fn ingest(&mut self, arrival: Arrival) {
        let snapshot = self.parts.clock.snapshot();
        let taken = self.take(arrival, &snapshot).await;
        self.note(taken);
    }

    async fn take(&mut self, arrival: Arrival, snapshot: &Snapshot) -> Result<(), RouteError> {
        let Arrival {
            mut batch,
            rejected,
            mut share,
            mut held,
            room: _room,
        } = arrival;
        if let Some(rejected) = rejected {
            let accepted = rejected.accepted.clone();
            let (kept, lost) = share.filter_by(|row| accepted.value(row));
            share = kept;
            if let Some(first) = self.routes.first_mut() {
                first.fail(decode_failures(rejected), lost, snapshot).await?;
            }
        }
        if let Some(filtering) = &self.filter {
            let filtered = filtering.keep(&Frame::of_input(&batch, snapshot));
            if !filtered.keeps_all() {
                let failed = filtered.failed();
                let (lost, others) = share.filter_by(|row| failed.value(row));
                let keeps: Vec<bool> = others_of(&filtered.keep, &failed);
                let (kept, dropped) = others.filter(&keeps);
                self.parts.traffic.count_filtered(dropped.len());
                dropped.settle(Fate::Done);
                share = kept;
                if let Some(first) = self.routes.first_mut()
                    && !filtered.failures.is_empty()
                {
                    let input = filter(&batch, &failed)?;
                    first.fail((filtered.failures, input), lost, snapshot).await?;
                }
                batch = filter(&batch, &filtered.keep)?;
                // Copies, which no longer need what they were cut from.
                held = Arc::new(self.parts.budget.charge(held_bytes(&batch)));
            }
        }
        if batch.num_rows() == 0 {
            return Ok(());
        }
        let last = self.routes.len().saturating_sub(1);
        for number in 0..self.routes.len() {
            let (before, rest) = self.routes.split_at_mut(number);
            let Some((route, after)) = rest.split_first_mut() else {
                break;
            };
            let share = if number == last {
                std::mem::take(&mut share)
            } else {
                share.fork()
            };
            let rows = Rows {
                input: &batch,
                share,
                snapshot,
                held: &held,
                others: Others { before, after },
            };
            route.take(rows).await?;
        }
        Ok(())
    }

    fn note(&self, done: Result<(), RouteError>) {
        match done {
            Ok(()) | Err(RouteError::Outgoing(OutgoingError::Closed)) => {}
            Err(error) => tracing::error!(entity = %self.parts.title, %error, "rows are unresolved"),
        }
    }
}

/// Of the rows that did not fail, in order: whether each is kept.
fn others_of(keep: &arrow::buffer::BooleanBuffer, failed: &arrow::buffer::BooleanBuffer) -> Vec<bool> {
    keep.iter()
        .zip(failed.iter())
        .filter(|(_, failed)| !failed)
        .map(|(keep, _)| keep)
        .collect()
}

/// What could not be taken of a writer's batch: code validation, operation decode, the columns as fields.
fn decode_failures(rejected: Rejected) -> (Vec<Failure>, arrow::array::RecordBatch) {
    let failures = rejected.rows.into_iter().map(|rejection| {
        let site = FailureSite {
            code: ErrorCode::Validation,
            operation: Operation::Decode,
            operation_index: None,
            fields: rejection.fields,
        };
        Failure::new(rejection.row, Arc::new(site), rejection.reason.message())
    });
    (failures.collect(), rejected.records)
}

#[cfg(test)]
mod tests;
