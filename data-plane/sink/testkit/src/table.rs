//! A table: takes writes of rows and answers as its script says. It measures a row as a fixed number of bytes.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use futures::FutureExt;
use futures::future::BoxFuture;
use nervix_clock::PhysicalInstant;
use nervix_sink::{
    Failure, Measure, OpenError, OpenSink, Outcome, RowAnswer, RowSink, Rows, SinkClient, SinkContext,
    WriteLimits,
};
use nspl_model::EmitterDef;
use parking_lot::Mutex;
use tokio::sync::oneshot;

/// Bytes around the rows of one write.
pub(crate) const WRITE_BYTES: u64 = 16;

/// One attempt that reached the table.
#[derive(Debug, Clone)]
pub struct Wrote {
    /// The mapped columns.
    pub columns: RecordBatch,
    /// What it answered; none while it holds the write.
    pub answer: Option<RowAnswer>,
}

/// What a test says about each write.
type Script = Box<dyn FnMut(&RecordBatch) -> RowAnswer + Send>;

/// The table; clones share everything.
#[derive(Clone)]
pub struct Table {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    refusals: VecDeque<Failure>,
    holds: bool,
    held: Option<oneshot::Sender<RowAnswer>>,
    script: Option<Script>,
    answers: VecDeque<RowAnswer>,
    wrote: Vec<Wrote>,
    row_bytes: u64,
    edition: u64,
    measured: usize,
    rows_max: Option<u32>,
    bytes_max: Option<u64>,
}

impl Table {
    /// A table that takes every write and measures `row_bytes` a row, and 16 bytes around a write.
    pub fn new(row_bytes: u64) -> Self {
        Self {
            state: Arc::new(Mutex::new(State {
                row_bytes,
                ..State::default()
            })),
        }
    }

    /// From now on one write of it has so many rows and bytes at most.
    pub fn limit(&self, rows_max: Option<u32>, bytes_max: Option<u64>) {
        let mut state = self.state.lock();
        (state.rows_max, state.bytes_max) = (rows_max, bytes_max);
    }

    /// From now on a row measures so much.
    pub fn measures(&self, row_bytes: u64) {
        let mut state = self.state.lock();
        state.row_bytes = row_bytes;
        state.edition += 1;
    }

    /// How many rows it was asked to measure.
    pub fn measured(&self) -> usize {
        self.state.lock().measured
    }

    /// The next times that somebody opens a sink on it, it fails so.
    pub fn refuse_to_open(&self, failures: impl IntoIterator<Item = Failure>) {
        self.state.lock().refusals.extend(failures);
    }

    /// From now on it answers only when [`Table::answer`] says so, or at once again.
    pub fn hold(&self, holds: bool) {
        self.state.lock().holds = holds;
    }

    /// Answers the write that it holds. False when it holds none that somebody waits for.
    pub fn answer(&self, answer: RowAnswer) -> bool {
        let held = self.state.lock().held.take();
        held.is_some_and(|held| held.send(answer).is_ok())
    }

    /// What it answers to the next writes, in order; before what a script says.
    pub fn answers(&self, answers: impl IntoIterator<Item = RowAnswer>) {
        self.state.lock().answers.extend(answers);
    }

    /// From now on `script` decides about each write.
    pub fn on_write(&self, script: impl FnMut(&RecordBatch) -> RowAnswer + Send + 'static) {
        self.state.lock().script = Some(Box::new(script));
    }

    /// Every write that reached it, in order.
    pub fn wrote(&self) -> Vec<Wrote> {
        self.state.lock().wrote.clone()
    }

    /// A sink on it.
    ///
    /// # Errors
    /// What [`Table::refuse_to_open`] asked for.
    pub fn open(&self) -> Result<OpenSink, OpenError> {
        match self.state.lock().refusals.pop_front() {
            Some(refusal) => Err(OpenError::Unavailable(refusal)),
            None => Ok(OpenSink::Rows(Box::new(TableSink(self.clone())))),
        }
    }
}

impl State {
    /// Notes what the write `at` was answered.
    fn answered(&mut self, at: usize, answer: RowAnswer) -> RowAnswer {
        if let Some(wrote) = self.wrote.get_mut(at) {
            wrote.answer = Some(answer.clone());
        }
        answer
    }
}

impl SinkClient for Table {
    fn open(
        &self,
        _def: Arc<EmitterDef>,
        _context: SinkContext,
    ) -> BoxFuture<'static, Result<OpenSink, OpenError>> {
        std::future::ready(Table::open(self)).boxed()
    }

    fn drain(&self, _deadline: PhysicalInstant) -> BoxFuture<'_, ()> {
        std::future::ready(()).boxed()
    }
}

struct TableSink(Table);

impl RowSink for TableSink {
    fn limits(&self) -> WriteLimits {
        let state = self.0.state.lock();
        WriteLimits {
            name: "Table insert",
            rows_max: state.rows_max,
            bytes_max: state.bytes_max,
        }
    }

    fn measure(&self, rows: &Rows) -> Measure {
        let mut state = self.0.state.lock();
        state.measured += rows.columns.num_rows();
        Measure {
            write_bytes: WRITE_BYTES,
            row_bytes: vec![state.row_bytes; rows.columns.num_rows()],
        }
    }

    fn edition(&self) -> u64 {
        self.0.state.lock().edition
    }

    fn write<'a>(&'a mut self, rows: &'a Rows) -> BoxFuture<'a, RowAnswer> {
        let mut state = self.0.state.lock();
        let at = state.wrote.len();
        state.wrote.push(Wrote {
            columns: rows.columns.clone(),
            answer: None,
        });
        if state.holds {
            let (answer, answered) = oneshot::channel();
            state.held = Some(answer);
            drop(state);
            return async move {
                match answered.await {
                    Ok(answer) => self.0.state.lock().answered(at, answer),
                    // Nobody will answer any more.
                    Err(_) => std::future::pending().await,
                }
            }
            .boxed();
        }
        let answer = match (state.answers.pop_front(), &mut state.script) {
            (Some(answer), _) => answer,
            (None, Some(script)) => script(&rows.columns),
            (None, None) => RowAnswer::All(Outcome::DELIVERED),
        };
        std::future::ready(state.answered(at, answer)).boxed()
    }
}
