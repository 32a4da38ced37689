//! The driver of staged sinks (`emitters.txt`, Iceberg).
//!
//! What flushes release is staged on this node, in order. A commit begins when COMMIT EACH has passed since the first of its
//! rows was staged, in domain time, when what is staged reaches its MAX SIZE, when a drain has nothing more to stage, or
//! when the emitter has read as far ahead as it may. Nothing is acknowledged before a commit is confirmed. One whose outcome
//! is not known waits out the pace of the emitter and is called for again under the same id, with the same rows: until then
//! nothing more is staged, which is the backpressure of an absent catalog.
//!
//! Invariants: each member leaves in one verdict; at most one batch or commit is under way; a batch that could not be staged
//! stays where it was; what is staged never grows beyond MAX SIZE and one batch more.

mod pile;

use std::collections::VecDeque;
use std::sync::Arc;

use futures::FutureExt;
use nervix_clock::{DomainClock, DomainDeadline, PhysicalInstant};
use nervix_sink::{OpenSink, Outcome, PayloadId, StagedBatch, StagedSink, Staging};
use nspl_model::CommitPolicy;
use uuid::Uuid;

use crate::carrier::{Carrier, Members};
use crate::open::Opener;
use crate::plan::Plan;
use crate::publish::Retention;
use crate::publish::connection::{Connection, Ended};
use crate::publish::lane_book::LaneBook;
use crate::publish::setbacks::Setbacks;
use crate::publish::turn::Turn;
use pile::Pile;

/// Carriers that are staged at once at most.
const STAGE_MAX: usize = 1_024;

/// Drives one staged sink.
pub(crate) struct StagedDriver {
    plan: Arc<Plan>,
    clock: DomainClock,
    policy: CommitPolicy,
    connection: Connection<dyn StagedSink, Done>,
    /// What flushes released and is not staged yet.
    waiting: VecDeque<Carrier>,
    /// How many carriers at the front of it are being staged.
    staging: usize,
    /// The last attempt to stage failed.
    staging_failed: bool,
    staged: Pile,
    /// When COMMIT EACH passes for what is staged, unless its commit is decided.
    due: Option<DomainDeadline>,
    /// The commit that was decided and is not confirmed.
    commit: Option<Commit>,
    pub(crate) setbacks: Setbacks,
    hurried: bool,
    /// Nothing waits for a boundary in this turn.
    completing: bool,
    lanes: LaneBook,
    /// The first half of the ids of this run's commits.
    run: u128,
    sequence: u64,
}

/// A commit.
#[derive(Debug, Clone, Copy)]
struct Commit {
    /// The same over all attempts.
    id: PayloadId,
    /// Its last attempt failed and the next has not begun.
    failed: bool,
}

/// What the sink has done.
enum Done {
    Staged(Staging),
    Committed(Outcome),
}

impl StagedDriver {
    pub(crate) fn new(
        plan: Arc<Plan>,
        opener: Arc<dyn Opener>,
        (policy, clock): (CommitPolicy, DomainClock),
    ) -> Self {
        Self {
            connection: Connection::new(opener),
            waiting: VecDeque::new(),
            staging: 0,
            staging_failed: false,
            staged: Pile::default(),
            due: None,
            commit: None,
            setbacks: Setbacks::new(plan.clone()),
            hurried: false,
            completing: false,
            lanes: LaneBook::default(),
            run: Uuid::new_v4().as_u128() & !u128::from(u64::MAX),
            sequence: 0,
            plan,
            clock,
            policy,
        }
    }

    /// Takes what one flush released.
    pub(crate) fn release(&mut self, carriers: Vec<Carrier>) {
        self.waiting.extend(carriers);
    }

    /// Ends when something has come. Cancel-safe: what comes stays in the driver.
    pub(crate) async fn ready(&mut self) {
        std::future::poll_fn(|cx| self.connection.poll_ready(cx, staged_sink)).await;
    }

    /// Acts on what has come, stages and commits.
    pub(crate) fn advance(&mut self, turn: &mut Turn<'_>) {
        if std::mem::take(&mut self.hurried) {
            self.setbacks.pace.hurry(turn.now);
        }
        match self.connection.take_ended() {
            Some(Ended::Opened) => self.setbacks.trouble.lifted(),
            Some(Ended::Failed(failure)) => self.setbacks.stands(&failure, turn.now),
            Some(Ended::Work(Done::Staged(staging))) => self.take_staged(staging, turn),
            Some(Ended::Work(Done::Committed(outcome))) => self.committed(outcome, turn),
            None => {}
        }
        self.decide(turn);
        if self.setbacks.pace.holds(turn.now) {
            return;
        }
        self.setbacks.pace.begin();
        self.connection.open();
        if self.connection.is_idle() {
            self.begin(turn);
        }
    }

    /// Decides whether what is staged is committed now.
    fn decide(&mut self, turn: &Turn<'_>) {
        let completing = std::mem::take(&mut self.completing);
        if self.staged.is_empty() || self.commit.is_some() {
            return;
        }
        let passed = self.due.is_some_and(|due| self.clock.reached(due));
        let is_full = self.staged.bytes() >= self.policy.max_bytes;
        // A commit sets free what it was read ahead for: waiting for its time would stall the emitter instead.
        let ends = self.waiting.is_empty() && (completing || !turn.admission.has_room());
        if passed || is_full || ends {
            self.due = None;
            self.commit = Some(Commit {
                id: PayloadId(self.run | u128::from(self.sequence)),
                failed: false,
            });
            self.sequence += 1;
        }
    }

    /// Begins what the sink does next: the commit that was decided, or else to stage what waits.
    fn begin(&mut self, turn: &mut Turn<'_>) {
        if let Some(commit) = &mut self.commit {
            turn.retried += u64::from(std::mem::take(&mut commit.failed));
            let id = commit.id;
            self.connection.begin(|mut sink| {
                let commit = async move {
                    let outcome = sink.commit(id).await;
                    (sink, Done::Committed(outcome))
                };
                commit.boxed()
            });
            return;
        }
        let room = self.policy.max_bytes.saturating_sub(self.staged.bytes());
        let mut bytes = 0;
        let fitting = self.waiting.iter().take_while(|carrier| {
            let fits = bytes < room;
            bytes += carrier.bytes;
            fits
        });
        let records = fitting.take(STAGE_MAX).map(|carrier| carrier.records.clone());
        let batch = StagedBatch {
            records: records.collect(),
        };
        if batch.records.is_empty() {
            return;
        }
        self.staging = batch.records.len();
        turn.retried += u64::from(std::mem::take(&mut self.staging_failed));
        self.connection.begin(|mut sink| {
            let stage = async move {
                let staging = sink.stage(&batch).await;
                (sink, Done::Staged(staging))
            };
            stage.boxed()
        });
    }

    fn take_staged(&mut self, staging: Staging, turn: &mut Turn<'_>) {
        let carriers = std::mem::take(&mut self.staging);
        let (bytes, refused) = match staging {
            Staging::Staged { bytes, refused } => (bytes, refused),
            Staging::Failed(failure) => {
                self.staging_failed = true;
                return self.setbacks.stands(&failure, turn.now);
            }
        };
        self.setbacks.trouble.lifted();
        let begins = self.staged.is_empty();
        let carriers = self.waiting.drain(..carriers).collect();
        self.staged
            .add((carriers, bytes), refused, (&self.plan, &mut self.lanes), turn);
        if begins && !self.staged.is_empty() {
            self.due = Some(self.clock.deadline_after(self.policy.each));
        }
    }

    fn committed(&mut self, outcome: Outcome, turn: &mut Turn<'_>) {
        let Some(mut commit) = self.commit.take() else {
            return;
        };
        match outcome {
            Outcome::Delivered(mut note) => {
                for members in self.resolve(commit.id) {
                    turn.delivered(members, note.take());
                }
            }
            Outcome::Rejected(rejection) => {
                for members in self.resolve(commit.id) {
                    turn.rejected(members, &self.plan.rejected, rejection.message.as_str());
                }
            }
            Outcome::Unresolved(failure) => {
                self.setbacks.failed(commit.id, &failure, turn.now);
                commit.failed = true;
                self.commit = Some(commit);
            }
        }
    }

    /// The commit has its outcome, which resets the backoff.
    fn resolve(&mut self, commit: PayloadId) -> Vec<Members> {
        self.setbacks.trouble.resolved(commit);
        self.setbacks.pace.completed();
        let members = self.staged.take();
        for members in &members {
            self.lanes.leave(&members.lane);
        }
        members
    }

    /// When the wait of the pace is over.
    pub(crate) fn next_due(&self) -> Option<PhysicalInstant> {
        self.setbacks.pace.due()
    }

    /// When COMMIT EACH passes.
    pub(crate) fn commit_due(&self) -> Option<DomainDeadline> {
        self.due
    }

    /// The wait is over at once.
    pub(crate) fn hurry(&mut self) {
        self.hurried = true;
    }

    /// What is staged is committed without waiting for its boundary.
    pub(crate) fn complete(&mut self) {
        self.completing = true;
    }

    /// Whether it holds no member.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.staged.is_empty()
    }

    pub(crate) fn retention(&self) -> Retention {
        let waits = self.commit.is_some_and(|commit| commit.failed);
        Retention {
            units: self.staged.batches(),
            bytes: self.staged.bytes(),
            awaiting_retry: if waits { self.staged.batches() } else { 0 },
            lanes: self.lanes.len(),
        }
    }
}

fn staged_sink(sink: OpenSink) -> Option<Box<dyn StagedSink>> {
    match sink {
        OpenSink::Staged(sink) => Some(sink),
        _ => None,
    }
}
