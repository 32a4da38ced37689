//! A lake: what is staged becomes visible at a commit. The staged shape, in memory.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use futures::FutureExt;
use futures::future::BoxFuture;
use nervix_clock::PhysicalInstant;
use nervix_sink::{Failure, OpenError, OpenSink, Outcome, SinkClient, SinkContext, StagedBatch, StagedSink};
use nspl_model::EmitterDef;
use parking_lot::Mutex;

/// The lake; clones share everything.
#[derive(Clone, Default)]
pub struct Lake {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    stagings: VecDeque<Failure>,
    commits: VecDeque<Outcome>,
    staged: Vec<RecordBatch>,
    visible: Vec<RecordBatch>,
}

impl Lake {
    /// A lake that takes everything.
    pub fn new() -> Self {
        Self::default()
    }

    /// What the next commits come to, in order; those after them end well.
    pub fn commits(&self, outcomes: impl IntoIterator<Item = Outcome>) {
        self.state.lock().commits.extend(outcomes);
    }

    /// The next batches are not staged, each for its reason.
    pub fn fail_stagings(&self, failures: impl IntoIterator<Item = Failure>) {
        self.state.lock().stagings.extend(failures);
    }

    /// What readers see, in the order of its commits.
    pub fn visible(&self) -> Vec<RecordBatch> {
        self.state.lock().visible.clone()
    }

    /// A sink on it.
    pub fn open(&self) -> OpenSink {
        OpenSink::Staged(Box::new(LakeSink(self.clone())))
    }
}

impl SinkClient for Lake {
    fn open(
        &self,
        _def: Arc<EmitterDef>,
        _context: SinkContext,
    ) -> BoxFuture<'static, Result<OpenSink, OpenError>> {
        std::future::ready(Ok(Lake::open(self))).boxed()
    }

    fn drain(&self, _deadline: PhysicalInstant) -> BoxFuture<'_, ()> {
        std::future::ready(()).boxed()
    }
}

struct LakeSink(Lake);

impl StagedSink for LakeSink {
    fn stage<'a>(&'a mut self, batch: &'a StagedBatch) -> BoxFuture<'a, Result<(), Failure>> {
        let mut state = self.0.state.lock();
        let staged = match state.stagings.pop_front() {
            Some(failure) => Err(failure),
            None => {
                state.staged.push(batch.records.clone());
                Ok(())
            }
        };
        std::future::ready(staged).boxed()
    }

    fn commit(&mut self) -> BoxFuture<'_, Outcome> {
        let mut state = self.0.state.lock();
        let outcome = state.commits.pop_front().unwrap_or(Outcome::DELIVERED);
        if matches!(outcome, Outcome::Delivered(_)) {
            let staged = std::mem::take(&mut state.staged);
            state.visible.extend(staged);
        }
        std::future::ready(outcome).boxed()
    }
}
