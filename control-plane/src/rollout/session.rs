//! The session of one attached worker.
//!
//! Its loop alone sends: the steps of the state, and between them commands, each after the step of the state that was
//! current when it was given. A session ends when its stream does, when the lease runs out, when a newer session of the
//! same node begins, or when the worker does not take what it is sent.

use std::{
    collections::HashMap,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use futures::{Stream, StreamExt};
use nervix_clock::{PhysicalClock, PhysicalInstant};
use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

use super::{
    assign::Sent,
    failures::Failures,
    message::{Described, DrainOutcome, FromWorker, Registration, ToWorker},
};
use crate::{
    catalog::{Catalog, EntityRef, State},
    events::Events,
};

/// Commands that may wait for a worker.
const COMMANDS_MAX: usize = 64;

/// Beyond the bound of a drain, for its result to arrive.
const DRAIN_ANSWER: Duration = Duration::from_secs(5);

/// How long a worker may take to describe an entity.
const DESCRIBE_ANSWER: Duration = Duration::from_secs(5);

/// Why a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SessionEnd {
    StreamEnded,
    LeaseRanOut,
    Replaced,
    NotTaken,
    Stopping,
}

impl fmt::Display for SessionEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::StreamEnded => "its stream ended",
            Self::LeaseRanOut => "it gave no sign of life for its lease",
            Self::Replaced => "it attached again",
            Self::NotTaken => "it did not take what it was sent",
            Self::Stopping => "this control plane stops",
        })
    }
}

/// The worker did not answer a command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("worker {node} {reason}")]
pub(crate) struct Unanswered {
    node: String,
    reason: &'static str,
}

/// One attached worker.
pub(crate) struct Session {
    registration: Registration,
    clock: PhysicalClock,
    lease: Duration,
    last_seen: Mutex<PhysicalInstant>,
    ids: AtomicU64,
    commands: mpsc::Sender<ToWorker>,
    queue: Mutex<Option<mpsc::Receiver<ToWorker>>>,
    waiting: Mutex<Waiting>,
    /// Up to which revision the worker runs what it was assigned.
    applied: watch::Sender<u64>,
    failures: Mutex<Failures>,
    replaced: CancellationToken,
}

#[derive(Default)]
struct Waiting {
    ended: bool,
    drains: HashMap<u64, oneshot::Sender<DrainOutcome>>,
    descriptions: HashMap<u64, oneshot::Sender<Option<Described>>>,
}

/// How far a worker is.
#[derive(Default)]
struct Progress {
    seen: u64,
    sent: u64,
    answered: u64,
}

impl Session {
    pub(super) fn new(registration: Registration, clock: PhysicalClock, lease: Duration) -> Self {
        let (commands, queue) = mpsc::channel(COMMANDS_MAX);
        Self {
            registration,
            last_seen: Mutex::new(clock.now()),
            clock,
            lease,
            ids: AtomicU64::new(1),
            commands,
            queue: Mutex::new(Some(queue)),
            waiting: Mutex::default(),
            applied: watch::Sender::new(0),
            failures: Mutex::default(),
            replaced: CancellationToken::new(),
        }
    }

    pub(crate) fn node(&self) -> &str {
        &self.registration.node
    }

    /// Where another worker of this name serves Flight, if it is another one that has registered now.
    pub(crate) fn other_than(&self, registration: &Registration) -> Option<&str> {
        let (ours, theirs) = (&self.registration.instance, &registration.instance);
        let is_other = ours != theirs && !ours.is_empty() && !theirs.is_empty();
        is_other.then_some(self.registration.flight_address.as_str())
    }

    /// Seconds since its last sign of life.
    pub(crate) fn last_seen_s(&self) -> f64 {
        self.clock.now().since(*self.last_seen.lock()).as_secs_f64()
    }

    pub(crate) fn applied_revision(&self) -> u64 {
        *self.applied.borrow()
    }

    /// Why the worker could not start an entity with its last step, if it could not.
    pub(crate) fn failure(&self, entity: &EntityRef, generation: u64) -> Option<String> {
        self.failures.lock().now(entity, generation)
    }

    /// Why the worker could not start an entity, with its last step or one before it; it may run by now.
    pub(crate) fn failure_ever(&self, entity: &EntityRef, generation: u64) -> Option<String> {
        self.failures.lock().ever(entity, generation)
    }

    /// Nobody answers any more: whoever waits is told.
    pub(super) fn end(&self) {
        self.waiting.lock().end();
    }

    pub(super) fn replace(&self) {
        self.replaced.cancel();
    }

    /// Waits until the worker runs what the state of `revision` assigns to it, for `bound` at most.
    pub(crate) async fn wait_applied(&self, revision: u64, bound: Duration) -> bool {
        let mut applied = self.applied.subscribe();
        let reached = applied.wait_for(|applied| *applied >= revision);
        matches!(self.clock.timeout(bound, reached).await, Ok(Ok(_)))
    }

    /// What the next drain is called; whoever drains has to [`Self::resume`] it.
    pub(crate) fn next_drain(&self) -> u64 {
        self.ids.fetch_add(1, Ordering::Relaxed)
    }

    /// Drains entities; on success they stay drained until they are replaced, removed or [`Self::resume`]d.
    ///
    /// # Errors
    /// What the worker says, or that it did not answer. The drain has to be taken back then too.
    pub(crate) async fn drain(
        &self,
        id: u64,
        entities: Vec<EntityRef>,
        bound: Duration,
    ) -> Result<DrainOutcome, Unanswered> {
        let (answer, answered) = oneshot::channel();
        self.waiting.lock().expect_drain(id, answer);
        let command = ToWorker::Drain { id, entities, bound };
        let answer = self
            .ask(command, answered, bound.saturating_add(DRAIN_ANSWER))
            .await;
        self.waiting.lock().drains.remove(&id);
        answer
    }

    /// Takes a drain back. One that was carried out by a later assignment is not affected.
    pub(crate) async fn resume(&self, id: u64) {
        self.waiting.lock().drains.remove(&id);
        // A session that has ended has nothing to resume: the worker takes its drains back with the stream.
        if self.commands.send(ToWorker::Resume { id }).await.is_err() {
            tracing::debug!(node = self.node(), "the worker is gone; nothing to resume");
        }
    }

    /// What only the worker knows of an entity; `None` when it does not execute it.
    pub(crate) async fn describe(&self, entity: EntityRef) -> Result<Option<Described>, Unanswered> {
        let id = self.ids.fetch_add(1, Ordering::Relaxed);
        let (answer, answered) = oneshot::channel();
        self.waiting.lock().expect_description(id, answer);
        let answer = self
            .ask(ToWorker::Describe { id, entity }, answered, DESCRIBE_ANSWER)
            .await;
        self.waiting.lock().descriptions.remove(&id);
        answer
    }

    async fn ask<T>(
        &self,
        command: ToWorker,
        answered: oneshot::Receiver<T>,
        bound: Duration,
    ) -> Result<T, Unanswered> {
        let unanswered = |reason| Unanswered {
            node: self.node().into(),
            reason,
        };
        let asked = async {
            self.commands
                .send(command)
                .await
                .map_err(|_| unanswered("is gone"))?;
            answered.await.map_err(|_| unanswered("is gone"))
        };
        self.clock
            .timeout(bound, asked)
            .await
            .map_err(|_| unanswered("did not answer in time"))?
    }

    /// Serves the worker until the session ends.
    pub(crate) async fn run(
        &self,
        (catalog, events): (&Catalog, &Events),
        mut incoming: impl Stream<Item = FromWorker> + Unpin,
        outgoing: mpsc::Sender<ToWorker>,
        stopping: impl Future<Output = ()>,
    ) -> SessionEnd {
        let Some(mut queue) = self.queue.lock().take() else {
            return SessionEnd::Replaced;
        };
        let mut states = catalog.subscribe();
        let mut sent = Sent::default();
        let mut progress = Progress::default();
        let mut stopping = std::pin::pin!(stopping);
        let end = loop {
            let state = Arc::clone(&states.borrow_and_update());
            if let Err(end) = self.push(&mut sent, &state, &mut progress, &outgoing).await {
                break end;
            }
            let deadline = self.last_seen.lock().after(self.lease);
            tokio::select! {
                message = incoming.next() => match message {
                    Some(message) => self.take(message, &sent, &mut progress, events),
                    None => break SessionEnd::StreamEnded,
                },
                changed = states.changed() => if changed.is_err() { break SessionEnd::Stopping },
                command = queue.recv() => if let Some(command) = command {
                    let state = Arc::clone(&states.borrow_and_update());
                    let pushed = self.push(&mut sent, &state, &mut progress, &outgoing).await;
                    if let Err(end) = pushed.and(self.send(command, &outgoing).await) {
                        break end;
                    }
                },
                () = self.replaced.cancelled() => break SessionEnd::Replaced,
                () = &mut stopping => break SessionEnd::Stopping,
                () = self.clock.sleep_until(deadline) => break SessionEnd::LeaseRanOut,
            }
        };
        queue.close();
        end
    }

    async fn push(
        &self,
        sent: &mut Sent,
        state: &State,
        progress: &mut Progress,
        outgoing: &mpsc::Sender<ToWorker>,
    ) -> Result<(), SessionEnd> {
        let revision = state.revision().0;
        if progress.seen == revision && progress.sent > 0 {
            return Ok(());
        }
        let parts = sent.advance(state, self.node());
        self.failures
            .lock()
            .keep_assigned(|entity| sent.generation(entity));
        for part in parts {
            progress.sent = revision.max(1);
            self.send(ToWorker::Assign(part), outgoing).await?;
        }
        progress.seen = revision;
        self.note(progress);
        Ok(())
    }

    async fn send(&self, message: ToWorker, outgoing: &mpsc::Sender<ToWorker>) -> Result<(), SessionEnd> {
        match self.clock.timeout(self.lease, outgoing.send(message)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(SessionEnd::StreamEnded),
            Err(_) => Err(SessionEnd::NotTaken),
        }
    }

    fn take(&self, message: FromWorker, sent: &Sent, progress: &mut Progress, events: &Events) {
        *self.last_seen.lock() = self.clock.now();
        match message {
            FromWorker::Lease => {}
            FromWorker::Applied { revision, failures } => {
                self.failures
                    .lock()
                    .told(failures, |entity| sent.generation(entity));
                progress.answered = revision.max(1);
                self.note(progress);
            }
            FromWorker::Drained { id, outcome } => self.waiting.lock().drained(id, outcome),
            FromWorker::Described { id, answer } => self.waiting.lock().described(id, answer),
            FromWorker::Event(mut event) => {
                event.node = self.node().into();
                events.tell(event);
            }
        }
    }

    /// A worker that has applied the last step has also reached every later state that changed nothing for it.
    fn note(&self, progress: &Progress) {
        let reached = if progress.answered >= progress.sent {
            progress.seen
        } else {
            progress.answered
        };
        self.applied
            .send_if_modified(|applied| std::mem::replace(applied, reached) != reached);
    }
}

impl Waiting {
    /// Once the session has ended nobody answers: the sender is dropped at once.
    fn expect_drain(&mut self, id: u64, answer: oneshot::Sender<DrainOutcome>) {
        if !self.ended {
            self.drains.insert(id, answer);
        }
    }

    fn expect_description(&mut self, id: u64, answer: oneshot::Sender<Option<Described>>) {
        if !self.ended {
            self.descriptions.insert(id, answer);
        }
    }

    fn drained(&mut self, id: u64, outcome: DrainOutcome) {
        let answered = self.drains.remove(&id).map(|answer| answer.send(outcome));
        tracing::debug!(
            id,
            late = !matches!(answered, Some(Ok(()))),
            "a drain was answered"
        );
    }

    fn described(&mut self, id: u64, description: Option<Described>) {
        let answered = self
            .descriptions
            .remove(&id)
            .map(|answer| answer.send(description));
        tracing::trace!(
            id,
            late = !matches!(answered, Some(Ok(()))),
            "a description was answered"
        );
    }

    fn end(&mut self) {
        self.ended = true;
        self.drains.clear();
        self.descriptions.clear();
    }
}
