//! The one task that changes what this node executes: it takes the control plane's orders, and the shutdown.
//!
//! Invariant: orders are carried out one after the other, so that no two changes ever meet; what takes long (a drain's
//! wait) goes on beside them.

use std::sync::Arc;

use futures::future::BoxFuture;
use nervix_clock::PhysicalInstant;
use tokio::sync::{mpsc, oneshot, watch};

use crate::{
    assignments::{Assignments, EntityName, Surroundings},
    control::{Order, Reply},
    supervisor::Task,
};

/// Orders that may wait.
pub(crate) const ORDERS_MAX: usize = 16;
/// Drains whose end is still to be told.
const WAITS_MAX: usize = 64;

/// Shut down until the deadline; the answer says what was left.
#[derive(Debug)]
pub(crate) struct Finish {
    pub(crate) deadline: PhysicalInstant,
    pub(crate) leftovers: oneshot::Sender<Vec<String>>,
}

/// How far this node has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Readiness {
    /// An assignment has been applied.
    pub(crate) assigned: bool,
    /// Everything of the last one runs now.
    pub(crate) runs: bool,
}

/// See the module.
pub(crate) struct Node {
    assignments: Assignments,
    surroundings: Surroundings,
    holdings: watch::Sender<Vec<(EntityName, u64)>>,
    ready: Arc<watch::Sender<Readiness>>,
    /// Something of the last assignment could not be started.
    failed: bool,
    waits: Vec<Task>,
    /// An answer that the control plane has no room for yet. Until it has, no further order is taken.
    answer: Option<BoxFuture<'static, ()>>,
}

impl Node {
    pub(crate) fn new(
        surroundings: Surroundings,
        holdings: watch::Sender<Vec<(EntityName, u64)>>,
        ready: Arc<watch::Sender<Readiness>>,
    ) -> Self {
        Self {
            assignments: Assignments::new(surroundings.clone()),
            surroundings,
            holdings,
            ready,
            failed: false,
            waits: Vec::new(),
            answer: None,
        }
    }

    /// Carries out orders until it is told to finish, or is dropped.
    pub(crate) async fn run(
        mut self,
        mut orders: mpsc::Receiver<(Order, Reply)>,
        mut finish: mpsc::Receiver<Finish>,
    ) {
        let incarnations = Arc::clone(&self.surroundings.incarnations);
        loop {
            tokio::select! {
                biased;
                Some(finish) = finish.recv() => return self.finish(finish).await,
                () = told(&mut self.answer) => self.answer = None,
                Some((order, reply)) = orders.recv(), if self.answer.is_none() => self.carry_out(order, reply).await,
                () = incarnations.notified() => self.look(false),
            }
        }
    }

    async fn carry_out(&mut self, order: Order, reply: Reply) {
        match order {
            Order::Assign { revision, change } => {
                let failures = self.assignments.apply(change).await;
                for failure in &failures {
                    tracing::error!(entity = %failure.entity, error = failure.message, "an assigned entity does not run");
                }
                self.holdings.send_replace(self.assignments.holdings());
                self.failed = !failures.is_empty();
                self.look(true);
                self.answer = Some(Box::pin(async move { reply.applied(revision, failures).await }));
            }
            Order::Drain { id, entities, bound } => {
                self.waits.retain(|task| !task.has_ended());
                if self.waits.len() >= WAITS_MAX {
                    let full =
                        format!("{WAITS_MAX} drains are under way already; ask again when one has ended");
                    self.answer = Some(Box::pin(async move { reply.drained(id, Err(full)).await }));
                    return;
                }
                let drained = self.assignments.drain(id, &entities, bound);
                let wait = async move { reply.drained(id, drained.await).await };
                let told = move || tracing::error!(id, "the wait for a drain panicked");
                self.waits.push(self.surroundings.supervisor.once(wait, told));
            }
            Order::Resume { id } => self.assignments.resume(id),
            Order::Detached => self.assignments.resume_all(),
            Order::Describe { id, subject } => {
                let description = subject.and_then(|subject| self.assignments.describe(&subject));
                self.answer = Some(Box::pin(async move { reply.described(id, description).await }));
            }
        }
    }

    /// Says whether everything runs that is assigned; `applied`: an assignment has just been.
    fn look(&self, applied: bool) {
        let runs = !self.failed && self.assignments.runs_all();
        self.ready.send_modify(|ready| {
            ready.assigned |= applied;
            ready.runs = ready.assigned && runs;
        });
    }

    async fn finish(mut self, finish: Finish) {
        self.waits.clear();
        let leftovers = self.assignments.finish(finish.deadline).await;
        self.assignments.end(finish.deadline).await;
        // Whoever asked may have given up waiting.
        drop(finish.leftovers.send(leftovers));
    }
}

/// Ends when the answer has found room; never without one. Cancel-safe.
async fn told(answer: &mut Option<BoxFuture<'static, ()>>) {
    match answer {
        Some(answer) => answer.await,
        None => std::future::pending().await,
    }
}
