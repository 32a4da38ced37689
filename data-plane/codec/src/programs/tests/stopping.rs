//! Jobs that are stopped: who is blamed, and that nobody else is.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use arrow::array::AsArray;
use arrow::datatypes::UInt64Type;
use bytes::Bytes;
use nspl_model::JaqFormat;
use nspl_model::record_error::ErrorCode;

use super::{decode_on, limits, native, pack_on, programs, shown, small, small_rows};
use crate::programs::request::{Task, read_job};
use crate::programs::{Workshop, rows};
use crate::{
    Answer, InThread, Job, JobFuture, Jobs, Limit, Packing, Place, Refused, Rows, Step, Watch, encoder,
};

/// Says of the ids in a job and of a step at which limit the job is stopped there.
type Stops = Box<dyn Fn(&[u64], Step) -> Option<Limit> + Send + Sync>;

/// Stops jobs at some steps.
struct Stopping {
    stops: Stops,
    /// How many rows each attempt had.
    attempts: Mutex<Vec<usize>>,
    places: AtomicUsize,
}

struct UpTo<'a> {
    stops: &'a Stops,
    ids: Vec<u64>,
    stopped: Option<(Limit, Step)>,
}

impl Watch for UpTo<'_> {
    fn begins(&mut self, step: Step) {
        if self.stopped.is_none() {
            self.stopped = (self.stops)(&self.ids, step).map(|limit| (limit, step));
        }
    }
}

impl Jobs for Arc<Stopping> {
    fn place(&self) -> Result<Box<dyn Place>, Refused> {
        self.places.fetch_add(1, Ordering::Relaxed);
        Ok(Box::new(Self::clone(self)))
    }
}

impl Place for Arc<Stopping> {
    fn run(&self, job: Job) -> JobFuture<Answer> {
        let (_, _, task) = read_job(&job.bytes).unwrap();
        let ids: Vec<u64> = match task {
            Task::Emit(emit) => emit.rows.iter().flat_map(ids_of).collect(),
            Task::Ingest(ingest) => (0..ingest.payloads.len() as u64).collect(),
        };
        self.attempts.lock().unwrap().push(ids.len());
        let mut watch = UpTo {
            stops: &self.stops,
            ids,
            stopped: None,
        };
        let done = Workshop::default().run(&job.bytes, &mut watch).unwrap();
        let answer = match watch.stopped {
            None => Answer::Done(done),
            Some((limit, step)) => stopped(limit, Some(step)),
        };
        Box::pin(std::future::ready(Ok(answer)))
    }
}

fn stopped(limit: Limit, step: Option<Step>) -> Answer {
    let did = match limit {
        Limit::Time => "ran longer than 10s",
        Limit::Memory => "took more than 512MiB of memory",
    };
    let did = did.into();
    Answer::Stopped { limit, did, step }
}

fn ids_of(rows: &Rows) -> Vec<u64> {
    rows.records
        .column(0)
        .as_primitive::<UInt64Type>()
        .values()
        .to_vec()
}

/// Stops these steps at the limit of time.
fn stopping(at: &'static [(u32, u32)]) -> Arc<Stopping> {
    stopping_at(Limit::Time, |_, step| at.contains(&(step.row, step.members)))
}

fn stopping_at(limit: Limit, stops: impl Fn(&[u64], Step) -> bool + Send + Sync + 'static) -> Arc<Stopping> {
    stopping_by(move |ids, step| stops(ids, step).then_some(limit))
}

fn stopping_by(stops: impl Fn(&[u64], Step) -> Option<Limit> + Send + Sync + 'static) -> Arc<Stopping> {
    Arc::new(Stopping {
        stops: Box::new(stops),
        attempts: Mutex::default(),
        places: AtomicUsize::default(),
    })
}

fn dynamic(jobs: &Arc<Stopping>) -> Arc<dyn Jobs> {
    Arc::new(Arc::clone(jobs))
}

#[tokio::test]
async fn the_record_at_which_a_job_was_stopped_is_rejected_and_the_others_are_not() {
    let def = native(JaqFormat::Json, small(), programs(".id", None, None));
    let rows = [small_rows(&[None; 3])];
    let jobs = stopping(&[(1, 0)]);
    let dynamic = dynamic(&jobs);
    let slow = "1: evaluation: ON EMITTING ran longer than 10s";
    assert_eq!(
        shown(&pack_on(&dynamic, &def, None, None, &rows).await),
        ["0", slow, "2"]
    );
    assert_eq!(*jobs.attempts.lock().unwrap(), [3, 3]);
    assert_eq!(jobs.places.load(Ordering::Relaxed), 1, "for both attempts");
    assert_eq!(
        shown(&pack_on(&dynamic, &def, None, limits(9, 99), &rows).await),
        ["[0,2]!1"]
    );
}

#[tokio::test]
async fn a_batch_at_which_a_job_was_stopped_is_rejected_whole() {
    let def = native(JaqFormat::Json, small(), programs(".id", Some("."), None));
    let rows = [small_rows(&[None; 4])];
    let jobs = dynamic(&stopping(&[(1, 0), (0, 2)]));
    assert_eq!(
        shown(&pack_on(&jobs, &def, None, limits(2, 99), &rows).await),
        [
            "3!1: evaluation: ON EMITTING BATCH ran longer than 10s for a batch of 2 messages",
            "[3]",
        ]
    );
}

#[tokio::test]
async fn a_payload_at_which_a_job_was_stopped_is_rejected_alone() {
    let def = native(JaqFormat::Json, small(), programs(".", None, Some("{id: .}")));
    let jobs = dynamic(&stopping(&[(1, 0)]));
    let payloads = ["1", "2", "3"].map(|text| Bytes::from_static(text.as_bytes()));
    let decoded = decode_on(&jobs, &def, None, &payloads).await;
    assert_eq!(decoded.payloads, [0, 2]);
    assert_eq!(
        decoded.rejected[0].fault.cause,
        "ON INGESTION ran longer than 10s"
    );
    assert_eq!(decoded.rejected[0].fault.code, ErrorCode::Evaluation);
}

#[tokio::test]
async fn memory_is_blamed_on_a_record_that_takes_too_much_alone() {
    let def = native(JaqFormat::Json, small(), programs(".id", None, None));
    let rows = [small_rows(&[None; 5])];
    let jobs = stopping_at(Limit::Memory, |ids, step| ids[step.row as usize] == 2);
    assert_eq!(
        shown(&pack_on(&dynamic(&jobs), &def, None, None, &rows).await),
        [
            "0",
            "1",
            "1: evaluation: ON EMITTING took more than 512MiB of memory",
            "3",
            "4"
        ]
    );
    assert_eq!(*jobs.attempts.lock().unwrap(), [3, 1, 3, 2]);
}

#[tokio::test]
async fn a_record_that_takes_too_long_alone_is_not_said_to_take_too_much_memory() {
    let def = native(JaqFormat::Json, small(), programs(".id", None, None));
    let rows = [small_rows(&[None; 4])];
    let jobs = stopping_by(|ids, step| match ids.len() {
        1 => (ids[0] == 2).then_some(Limit::Time),
        _ => (ids[step.row as usize] == 2).then_some(Limit::Memory),
    });
    assert_eq!(
        shown(&pack_on(&dynamic(&jobs), &def, None, None, &rows).await),
        ["0", "1", "1: evaluation: ON EMITTING ran longer than 10s", "3"]
    );
}

#[tokio::test]
async fn a_job_that_gathers_too_much_is_made_smaller_and_nobody_is_blamed() {
    let rows = [small_rows(&[None; 8])];
    let ids = ["0", "1", "2", "3", "4", "5", "6", "7"];
    let pairs = ["[0,1]", "[2,3]", "[4,5]", "[6,7]"];
    let fours = ["[0,1,2,3]", "[4,5,6,7]"];
    let def = native(JaqFormat::Json, small(), programs(".id", None, None));
    // In the middle, at the end and before the first step; with a batch down to one candidate, which is not divided for it.
    let middle = || stopping_at(Limit::Memory, |ids, step| ids.len() > 3 && step.row == 2);
    let end = || {
        stopping_at(Limit::Memory, |ids, step| {
            ids.len() > 3 && step.row as usize + 1 == ids.len()
        })
    };
    for jobs in [middle(), end()] {
        let jobs = dynamic(&jobs);
        assert_eq!(shown(&pack_on(&jobs, &def, None, None, &rows).await), ids);
        assert_eq!(
            shown(&pack_on(&jobs, &def, None, limits(2, 99), &rows).await),
            pairs
        );
    }
    let def = native(JaqFormat::Json, small(), programs(".id", Some("."), None));
    let batches = stopping_at(Limit::Memory, |ids, step| ids.len() > 4 && step.members > 0);
    assert_eq!(
        shown(&pack_on(&dynamic(&batches), &def, None, limits(4, 99), &rows).await),
        fours
    );
}

#[tokio::test]
async fn memory_is_blamed_on_the_batch_of_a_job_of_one_candidate() {
    let def = native(JaqFormat::Json, small(), programs(".id", Some("."), None));
    let rows = [small_rows(&[None; 6])];
    let jobs = stopping_at(Limit::Memory, |ids, step| {
        ids[step.row as usize] == 0 && step.members > 0
    });
    assert_eq!(
        shown(&pack_on(&dynamic(&jobs), &def, None, limits(3, 99), &rows).await),
        [
            "3: evaluation: ON EMITTING BATCH took more than 512MiB of memory for a batch of 3 messages",
            "[3,4,5]"
        ]
    );
}

/// Stops each job before its first step when it has more rows than this.
struct Early(Limit, usize);

impl Jobs for Early {
    fn place(&self) -> Result<Box<dyn Place>, Refused> {
        Ok(Box::new(Self(self.0, self.1)))
    }
}

impl Place for Early {
    fn run(&self, job: Job) -> JobFuture<Answer> {
        let (_, struck, task) = read_job(&job.bytes).unwrap();
        let Task::Emit(emit) = task else {
            panic!("nothing is read")
        };
        if rows::count(&emit.rows) - struck.len() <= self.1 {
            return InThread.run(job);
        }
        Box::pin(std::future::ready(Ok(stopped(self.0, None))))
    }
}

#[tokio::test]
async fn a_job_that_stops_before_its_first_step_is_made_smaller_for_memory_and_refused_for_time() {
    let def = native(JaqFormat::Json, small(), programs(".id", None, None));
    let rows = [small_rows(&[None; 4])];
    let of = |limit, rows| Arc::new(Early(limit, rows)) as Arc<dyn Jobs>;
    let two = pack_on(&of(Limit::Memory, 2), &def, None, None, &rows).await;
    assert_eq!(shown(&two), ["0", "1", "2", "3"]);
    let none = pack_on(&of(Limit::Memory, 0), &def, None, None, &rows).await;
    assert_eq!(
        shown(&none),
        ["1: evaluation: ON EMITTING took more than 512MiB of memory"; 4]
    );
    let jobs = of(Limit::Time, 0);
    let encoder = encoder(&def, None, None, &jobs).unwrap();
    let Packing::Job(job) = encoder.pack(&rows, 1) else {
        panic!("it was done on the spot")
    };
    let refused = job.await.unwrap_err();
    assert_eq!(
        refused.message,
        "an extension worker ran longer than 10s outside of any program"
    );
}
