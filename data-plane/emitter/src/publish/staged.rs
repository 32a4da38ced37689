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
use nervix_clock::{DomainClock, DomainDeadline};
use nervix_sink::{OpenSink, Outcome, PayloadId, StagedBatch, StagedSink, Staging};
use nspl_model::CommitPolicy;

use crate::carrier::{Carrier, Members};
use crate::open::Opener;
use crate::plan::Plan;
use crate::publish::Retention;
use crate::publish::outlet::Outlet;
use crate::publish::turn::Turn;
use pile::Pile;

/// Carriers that are staged at once at most.
const STAGE_MAX: usize = 1_024;

/// Drives one staged sink.
pub(crate) struct StagedDriver {
    pub(crate) outlet: Outlet<dyn StagedSink, Done>,
    clock: DomainClock,
    policy: CommitPolicy,
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
    /// Nothing waits for a boundary in this turn.
    completing: bool,
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
pub(crate) enum Done {
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
            outlet: Outlet::new(plan, opener, staged_sink),
            waiting: VecDeque::new(),
            staging: 0,
            staging_failed: false,
            staged: Pile::default(),
            due: None,
            commit: None,
            completing: false,
            clock,
            policy,
        }
    }

    /// Takes what one flush released.
    pub(crate) fn release(&mut self, carriers: Vec<Carrier>) {
        self.waiting.extend(carriers);
    }

    /// Acts on what has come, stages and commits.
    pub(crate) fn advance(&mut self, turn: &mut Turn<'_>) {
        match self.outlet.take_done(turn.now) {
            Some(Done::Staged(staging)) => self.take_staged(staging, turn),
            Some(Done::Committed(outcome)) => self.committed(outcome, turn),
            None => {}
        }
        self.decide(turn);
        if !self.outlet.may_begin(turn.now) {
            return;
        }
        self.outlet.setbacks.pace.begin();
        if self.outlet.connection.is_idle() {
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
            let (id, _) = self.outlet.next_id();
            self.commit = Some(Commit { id, failed: false });
        }
    }

    /// Begins what the sink does next: the commit that was decided, or else to stage what waits.
    fn begin(&mut self, turn: &mut Turn<'_>) {
        if let Some(commit) = &mut self.commit {
            turn.retried += u64::from(std::mem::take(&mut commit.failed));
            let id = commit.id;
            self.outlet.connection.begin(|mut sink| {
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
        self.outlet.connection.begin(|mut sink| {
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
                return self.outlet.setbacks.stands(&failure, turn.now);
            }
        };
        self.outlet.setbacks.trouble.lifted();
        let begins = self.staged.is_empty();
        let carriers = self.waiting.drain(..carriers).collect();
        let Outlet { plan, lanes, .. } = &mut self.outlet;
        self.staged.add((carriers, bytes), refused, (plan, lanes), turn);
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
                    turn.rejected(members, &self.outlet.plan.rejected, rejection.message.as_str());
                }
            }
            Outcome::Unresolved(failure) => {
                self.outlet.setbacks.failed(commit.id, &failure, turn.now);
                commit.failed = true;
                self.commit = Some(commit);
            }
        }
    }

    /// The commit has its outcome, which resets the backoff.
    fn resolve(&mut self, commit: PayloadId) -> Vec<Members> {
        self.outlet.setbacks.trouble.resolved(commit);
        self.outlet.setbacks.pace.completed();
        let members = self.staged.take();
        for members in &members {
            self.outlet.lanes.leave(&members.lane);
        }
        members
    }

    /// When COMMIT EACH passes.
    pub(crate) fn commit_due(&self) -> Option<DomainDeadline> {
        self.due
    }

    /// Whether nothing but COMMIT EACH is waited for.
    pub(crate) fn defers(&self) -> bool {
        self.due.is_some() && self.waiting.is_empty()
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
            lanes: self.outlet.lanes.len(),
        }
    }
}

fn staged_sink(sink: OpenSink) -> Option<Box<dyn StagedSink>> {
    match sink {
        OpenSink::Staged(sink) => Some(sink),
        _ => None,
    }
}
