//! A lake: what is staged becomes visible at a commit. The staged shape, in memory.
//!
//! It writes the id of a commit beside its records, so that one whose answer was lost is known when it is called for again;
//! [`Lake::forget`] takes that away, as an append that keeps no id does.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use futures::FutureExt;
use futures::future::BoxFuture;
use nervix_clock::PhysicalInstant;
use nervix_sink::{
    Failure, FailureKind, OpenError, OpenSink, Outcome, PayloadId, RefusedRow, Rejection, SinkClient,
    SinkContext, StagedBatch, StagedSink, Staging,
};
use nspl_model::EmitterDef;
use parking_lot::Mutex;
use tokio::sync::oneshot;

use crate::deed::Deed;

/// One attempt to commit.
#[derive(Debug, Clone)]
pub struct Committed {
    /// The same over all attempts.
    pub id: PayloadId,
    /// Counts from 1.
    pub attempt: u32,
    /// What was staged for it, in order.
    pub records: Vec<RecordBatch>,
    /// What the lake did about it.
    pub deed: Deed,
}

/// What a test says about each attempt to stage, and each attempt to commit.
type StageScript = Box<dyn FnMut(&StagedBatch) -> Option<Failure> + Send>;
type CommitScript = Box<dyn FnMut(&Committed) -> Deed + Send>;
type RowScript = Box<dyn FnMut(&RecordBatch, usize) -> Option<Rejection> + Send>;

/// The lake; clones share everything.
#[derive(Clone)]
pub struct Lake {
    row_bytes: u64,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    refusals: VecDeque<Failure>,
    stage: Option<StageScript>,
    rows: Option<RowScript>,
    deeds: VecDeque<Deed>,
    commit: Option<CommitScript>,
    forgets: bool,
    opened: u64,
    /// By sink.
    staged: BTreeMap<u64, Vec<RecordBatch>>,
    /// How many record batches each batch that was staged had.
    stagings: Vec<usize>,
    attempts: Vec<Committed>,
    held: Option<oneshot::Sender<Outcome>>,
    visible: Vec<(PayloadId, Vec<RecordBatch>)>,
}

impl Lake {
    /// A lake that takes everything and measures `row_bytes` a staged row.
    pub fn new(row_bytes: u64) -> Self {
        Self {
            row_bytes,
            state: Arc::default(),
        }
    }

    /// The next times that somebody opens a sink on it, it fails so.
    pub fn refuse_to_open(&self, failures: impl IntoIterator<Item = Failure>) {
        self.state.lock().refusals.extend(failures);
    }

    /// From now on `script` says why a batch is not staged.
    pub fn on_stage(&self, script: impl FnMut(&StagedBatch) -> Option<Failure> + Send + 'static) {
        self.state.lock().stage = Some(Box::new(script));
    }

    /// From now on `script` says why the table cannot hold a row.
    pub fn on_row(&self, script: impl FnMut(&RecordBatch, usize) -> Option<Rejection> + Send + 'static) {
        self.state.lock().rows = Some(Box::new(script));
    }

    /// What it does about the next commits, in order; before what a script says.
    pub fn commits(&self, deeds: impl IntoIterator<Item = Deed>) {
        self.state.lock().deeds.extend(deeds);
    }

    /// From now on `script` decides about each attempt to commit.
    pub fn on_commit(&self, script: impl FnMut(&Committed) -> Deed + Send + 'static) {
        self.state.lock().commit = Some(Box::new(script));
    }

    /// From now on it does not know a commit again whose answer was lost.
    pub fn forget(&self) {
        self.state.lock().forgets = true;
    }

    /// Answers the commit that it holds; delivered makes it visible. False when it holds none that somebody waits for.
    pub fn answer(&self, outcome: Outcome) -> bool {
        let held = self.state.lock().held.take();
        held.is_some_and(|held| held.send(outcome).is_ok())
    }

    /// Every attempt to commit, in order.
    pub fn attempts(&self) -> Vec<Committed> {
        self.state.lock().attempts.clone()
    }

    /// How many record batches each staged batch had, in order.
    pub fn stagings(&self) -> Vec<usize> {
        self.state.lock().stagings.clone()
    }

    /// Rows that are staged now.
    pub fn staged_rows(&self) -> usize {
        let state = self.state.lock();
        state.staged.values().flatten().map(RecordBatch::num_rows).sum()
    }

    /// What readers see: one entry for each commit that became visible, in order.
    pub fn visible(&self) -> Vec<Vec<RecordBatch>> {
        let state = self.state.lock();
        state.visible.iter().map(|(_, records)| records.clone()).collect()
    }

    /// A sink on it.
    ///
    /// # Errors
    /// What [`Lake::refuse_to_open`] asked for.
    pub fn open(&self) -> Result<OpenSink, OpenError> {
        let mut state = self.state.lock();
        if let Some(refusal) = state.refusals.pop_front() {
            return Err(OpenError::Unavailable(refusal));
        }
        state.opened += 1;
        Ok(OpenSink::Staged(Box::new(LakeSink {
            lake: self.clone(),
            number: state.opened,
        })))
    }
}

impl State {
    /// One more attempt to commit what a sink has staged; what it knows to be visible it confirms.
    fn attempt(&mut self, sink: u64, id: PayloadId) -> Committed {
        let earlier = self.attempts.iter().filter(|attempt| attempt.id == id).count();
        let mut committed = Committed {
            id,
            attempt: u32::try_from(earlier + 1).unwrap_or(u32::MAX),
            records: self.staged.get(&sink).cloned().unwrap_or_default(),
            deed: Deed::Take,
        };
        if !self.knows(id) {
            committed.deed = match (self.deeds.pop_front(), &mut self.commit) {
                (Some(deed), _) => deed,
                (None, Some(script)) => script(&committed),
                (None, None) => Deed::Take,
            };
        }
        self.attempts.push(committed.clone());
        committed
    }

    /// What is staged becomes visible, unless it is already and the lake remembers.
    fn append(&mut self, id: PayloadId, records: Vec<RecordBatch>) {
        if !self.knows(id) {
            self.visible.push((id, records));
        }
    }

    /// Whether this commit is visible and is known to be.
    fn knows(&self, id: PayloadId) -> bool {
        !self.forgets && self.visible.iter().any(|(visible, _)| *visible == id)
    }
}

impl SinkClient for Lake {
    fn open(
        &self,
        _def: Arc<EmitterDef>,
        _context: SinkContext,
    ) -> BoxFuture<'static, Result<OpenSink, OpenError>> {
        std::future::ready(Lake::open(self)).boxed()
    }

    fn drain(&self, _deadline: PhysicalInstant) -> BoxFuture<'_, ()> {
        std::future::ready(()).boxed()
    }
}

/// One emitter's sink.
struct LakeSink {
    lake: Lake,
    number: u64,
}

impl LakeSink {
    /// What a commit has come to.
    fn end(&self, committed: Committed, outcome: Outcome) -> Outcome {
        let mut state = self.lake.state.lock();
        match &outcome {
            Outcome::Delivered(_) => {
                state.append(committed.id, committed.records);
                state.staged.remove(&self.number);
            }
            Outcome::Rejected(_) => drop(state.staged.remove(&self.number)),
            Outcome::Unresolved(_) => {}
        }
        outcome
    }
}

impl StagedSink for LakeSink {
    fn stage<'a>(&'a mut self, batch: &'a StagedBatch) -> BoxFuture<'a, Staging> {
        let mut state = self.lake.state.lock();
        if let Some(failure) = state.stage.as_mut().and_then(|script| script(batch)) {
            return std::future::ready(Staging::Failed(failure)).boxed();
        }
        let (mut refused, mut kept, mut at) = (Vec::new(), Vec::new(), 0);
        for records in &batch.records {
            for row in 0..records.num_rows() {
                let rejection = state.rows.as_mut().and_then(|script| script(records, row));
                match rejection {
                    Some(rejection) => refused.push(RefusedRow {
                        row: at + row,
                        rejection,
                    }),
                    None => kept.push(records.slice(row, 1)),
                }
            }
            at += records.num_rows();
        }
        let bytes = self.lake.row_bytes * kept.len() as u64;
        state.stagings.push(batch.records.len());
        state.staged.entry(self.number).or_default().extend(kept);
        std::future::ready(Staging::Staged { bytes, refused }).boxed()
    }

    fn commit(&mut self, commit: PayloadId) -> BoxFuture<'_, Outcome> {
        let mut state = self.lake.state.lock();
        let committed = state.attempt(self.number, commit);
        let outcome = match committed.deed.clone() {
            Deed::Take => Outcome::DELIVERED,
            Deed::TakeInSilence(failure) => {
                state.append(committed.id, committed.records.clone());
                Outcome::Unresolved(failure)
            }
            Deed::Refuse(rejection) => Outcome::Rejected(rejection),
            Deed::Fail(failure) => Outcome::Unresolved(failure),
            Deed::Hold => {
                let (answer, answered) = oneshot::channel();
                state.held = Some(answer);
                drop(state);
                return async move {
                    let gone = Failure::new(FailureKind::Unavailable, "the lake gave the commit up");
                    let outcome = answered.await.unwrap_or(Outcome::Unresolved(gone));
                    self.end(committed, outcome)
                }
                .boxed();
            }
        };
        drop(state);
        std::future::ready(self.end(committed, outcome)).boxed()
    }
}

impl Drop for LakeSink {
    fn drop(&mut self) {
        self.lake.state.lock().staged.remove(&self.number);
    }
}
