//! An ingestor at work: from admitted batches to relays (companion.md section 8, flight.md "Writing").
//!
//! decode failures -> FILTER -> routes (each forks the share) -> construct -> WHERE -> branch keys -> flush buffers ->
//! relay, with backpressure. Invariant: each row of an arrival leaves exactly once on each route; whatever is dropped
//! with this task (panic, STOP) resolves as unresolved. Conversion, admission and answers belong to the Flight edge.

mod errors;
mod gathering;
mod outgoing;
mod piece;
mod route;
mod timer;

use std::sync::Arc;

use nervix_ack::Fate;
use nervix_budget::Budget;
use nervix_clock::{DomainClock, Snapshot};
use nervix_columns::{Rejected, filter};
use nervix_expr::{CompileError, Failure, FailureSite, Frame, Predicate};
use nspl_model::{
    IngestorDef,
    record_error::{ErrorCode, Operation},
};
use tokio::sync::{mpsc, oneshot};

use crate::{
    inlet::{Arrival, ArrivalQueue, Inlet},
    relays::DomainRelays,
};
use errors::PolicyParts;
use route::{Others, Route, RouteError, Rows};

/// Drain requests that may wait for one ingestor.
const DRAINS_MAX: usize = 4;

/// What an ingestor needs of its surroundings.
#[derive(Clone, Debug)]
pub(crate) struct IngestorParts {
    pub(crate) def: Arc<IngestorDef>,
    pub(crate) inlet: Arc<Inlet>,
    pub(crate) relays: Arc<DomainRelays>,
    pub(crate) budget: Budget,
}

/// Asks a running ingestor to empty itself; cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct IngestorHandle {
    drains: mpsc::Sender<oneshot::Sender<()>>,
}

/// The requests of the handle; outlives incarnations.
pub(crate) type DrainRequests = Arc<tokio::sync::Mutex<mpsc::Receiver<oneshot::Sender<()>>>>;

impl IngestorHandle {
    /// A handle and what the ingestor listens to.
    pub(crate) fn new() -> (Self, DrainRequests) {
        let (drains, requests) = mpsc::channel(DRAINS_MAX);
        (Self { drains }, Arc::new(tokio::sync::Mutex::new(requests)))
    }

    /// Waits until everything that has entered is published; false when the ingestor went before.
    pub(crate) async fn drain(&self) -> bool {
        let (done, waits) = oneshot::channel();
        self.drains.send(done).await.is_ok() && waits.await.is_ok()
    }
}

/// One incarnation of an ingestor.
pub(crate) struct Ingestor {
    title: String,
    clock: DomainClock,
    filter: Option<Predicate>,
    routes: Vec<Route>,
    parts: IngestorParts,
}

impl Ingestor {
    /// # Errors
    /// When an expression of the definition does not compile.
    pub(crate) fn compile(parts: IngestorParts) -> Result<Self, CompileError> {
        let def = &parts.def;
        let clock = parts.relays.clock().clone();
        let title = parts.inlet.title();
        let policy = PolicyParts {
            title: title.as_str().into(),
            clock: &clock,
            budget: &parts.budget,
            traffic: parts.inlet.traffic(),
            relays: &parts.relays,
        };
        let routes = def.routes.iter().map(|route| Route::compile(route, &policy));
        let routes = routes.collect::<Result<Vec<_>, _>>()?;
        let filter = def.filter.as_ref();
        let filter = filter
            .map(|expr| Predicate::compile(expr, Operation::Filter))
            .transpose()?;
        Ok(Self {
            title,
            clock,
            filter,
            routes,
            parts,
        })
    }

    /// Runs until it is cancelled or its inlet goes.
    pub(crate) async fn run(mut self, requests: DrainRequests) {
        let mut queue = self.parts.inlet.queue().await;
        let mut requests = requests.lock_owned().await;
        loop {
            // Timers are set only when there is nothing else to do: setting one costs more than a small batch.
            self.flush_due().await;
            if let Ok(arrival) = queue.try_recv() {
                self.ingest(arrival).await;
                continue;
            }
            tokio::select! {
                biased;
                () = self.wait_due() => {}
                drain = requests.recv() => match drain {
                    Some(done) => {
                        self.empty(&mut queue).await;
                        if done.send(()).is_err() {
                            tracing::debug!(entity = %self.title, "whoever asked for a drain has gone");
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
    async fn empty(&mut self, queue: &mut ArrivalQueue) {
        while let Ok(arrival) = queue.try_recv() {
            self.ingest(arrival).await;
        }
        for number in 0..self.routes.len() {
            if let Some(route) = self.routes.get_mut(number) {
                let flushed = route.flush_all().await;
                self.note(flushed);
            }
        }
    }

    async fn ingest(&mut self, arrival: Arrival) {
        let snapshot = self.clock.snapshot();
        let taken = self.take(arrival, &snapshot).await;
        self.note(taken);
    }

    async fn take(&mut self, arrival: Arrival, snapshot: &Snapshot) -> Result<(), RouteError> {
        let Arrival {
            mut batch,
            rejected,
            mut share,
            held,
            ..
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
                self.parts.inlet.traffic().count_filtered(dropped.len());
                dropped.settle(Fate::Done);
                share = kept;
                if let Some(first) = self.routes.first_mut()
                    && !filtered.failures.is_empty()
                {
                    let input = filter(&batch, &failed)?;
                    first.fail((filtered.failures, input), lost, snapshot).await?;
                }
                batch = filter(&batch, &filtered.keep)?;
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
            Ok(()) | Err(RouteError::Outgoing(outgoing::OutgoingError::Closed)) => {}
            Err(error) => tracing::error!(entity = %self.title, %error, "rows are unresolved"),
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
