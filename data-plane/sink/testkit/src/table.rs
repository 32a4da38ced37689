//! A table: takes writes of rows and answers as its script says. It measures a row as a fixed number of bytes.

use std::ops::Deref;
use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use futures::FutureExt;
use futures::future::BoxFuture;
use nervix_clock::PhysicalInstant;
use nervix_sink::{
    Measure, OpenError, OpenSink, Outcome, RowAnswer, RowSink, Rows, SinkClient, SinkContext, WriteLimits,
};
use nspl_model::EmitterDef;
use parking_lot::Mutex;

use crate::attended::Attended;

/// Bytes around the rows of one write.
pub(crate) const WRITE_BYTES: u64 = 16;

/// What a test says about each write.
type Script = Box<dyn FnMut(&RecordBatch) -> RowAnswer + Send>;

/// The table; clones share everything.
#[derive(Clone)]
pub struct Table {
    attended: Attended<RecordBatch, RowAnswer>,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    script: Option<Script>,
    row_bytes: u64,
    edition: u64,
    measured: usize,
    rows_max: Option<u32>,
    bytes_max: Option<u64>,
}

impl Table {
    /// A table that takes every write and measures `row_bytes` a row, and 16 bytes around a write.
    pub fn new(row_bytes: u64) -> Self {
        let state = State {
            row_bytes,
            ..State::default()
        };
        Self {
            attended: Attended::default(),
            state: Arc::new(Mutex::new(state)),
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

    /// From now on `script` decides about each write that nothing was said about before ([`Attended::answers`]).
    pub fn on_write(&self, script: impl FnMut(&RecordBatch) -> RowAnswer + Send + 'static) {
        self.state.lock().script = Some(Box::new(script));
    }

    /// A sink on it.
    ///
    /// # Errors
    /// What [`Attended::refuse_to_open`] asked for.
    pub fn open(&self) -> Result<OpenSink, OpenError> {
        self.attended.open()?;
        Ok(OpenSink::Rows(Box::new(TableSink(self.clone()))))
    }

    fn answer_by_script(&self, columns: &RecordBatch) -> RowAnswer {
        match &mut self.state.lock().script {
            Some(script) => script(columns),
            None => RowAnswer::All(Outcome::DELIVERED),
        }
    }
}

impl Deref for Table {
    type Target = Attended<RecordBatch, RowAnswer>;

    fn deref(&self) -> &Self::Target {
        &self.attended
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
        let table = &self.0;
        table
            .attended
            .attempt(rows.columns.clone(), |columns| table.answer_by_script(columns))
    }
}
