//! Jobs that are stopped: who is blamed, and that nobody else is.

use std::sync::Arc;
use std::sync::Mutex;

use bytes::Bytes;
use nspl_model::JaqFormat;
use nspl_model::record_error::ErrorCode;

use super::{decode_on, limits, native, pack_on, programs, shown, small, small_rows};
use crate::programs::Workshop;
use crate::{Answer, Job, JobFuture, Refused, Step, Watch};
use crate::{Jobs, Packing, encoder};

/// Stops jobs at some steps, as if each of them ran too long.
struct Stopping {
    at: Vec<Step>,
    attempts: Mutex<usize>,
}

struct UpTo<'a> {
    at: &'a [Step],
    stopped: Option<Step>,
}

impl Watch for UpTo<'_> {
    fn begins(&mut self, step: Step) {
        if self.stopped.is_none() && self.at.contains(&step) {
            self.stopped = Some(step);
        }
    }
}

impl Jobs for Stopping {
    fn run(&self, job: Job) -> JobFuture<Answer> {
        *self.attempts.lock().unwrap() += 1;
        let mut watch = UpTo {
            at: &self.at,
            stopped: None,
        };
        let done = Workshop::default().run(&job.bytes, &mut watch).unwrap();
        let answer = match watch.stopped {
            None => Answer::Done(done),
            step => Answer::Stopped {
                did: "ran longer than 10s".into(),
                step,
            },
        };
        Box::pin(std::future::ready(Ok(answer)))
    }
}

fn stopping(at: &[(u32, u32)]) -> Arc<Stopping> {
    let at = at.iter().map(|(row, members)| Step {
        row: *row,
        members: *members,
    });
    Arc::new(Stopping {
        at: at.collect(),
        attempts: Mutex::new(0),
    })
}

#[tokio::test]
async fn the_record_at_which_a_job_was_stopped_is_rejected_and_the_others_are_not() {
    let def = native(JaqFormat::Json, small(), programs(".id", None, None));
    let rows = [small_rows(&[None; 3])];
    let jobs = stopping(&[(1, 0)]);
    let dynamic: Arc<dyn Jobs> = jobs.clone();
    let slow = "1: evaluation: ON EMITTING ran longer than 10s";
    assert_eq!(
        shown(&pack_on(&dynamic, &def, None, None, &rows).await),
        ["0", slow, "2"]
    );
    assert_eq!(*jobs.attempts.lock().unwrap(), 2);
    assert_eq!(
        shown(&pack_on(&dynamic, &def, None, limits(9, 99), &rows).await),
        ["[0,2]!1"]
    );
}

#[tokio::test]
async fn a_batch_at_which_a_job_was_stopped_is_rejected_whole() {
    let def = native(JaqFormat::Json, small(), programs(".id", Some("."), None));
    let rows = [small_rows(&[None; 4])];
    let jobs: Arc<dyn Jobs> = stopping(&[(1, 0), (0, 2)]);
    assert_eq!(
        shown(&pack_on(&jobs, &def, None, limits(2, 99), &rows).await),
        [
            "1: evaluation: ON EMITTING BATCH ran longer than 10s for a batch of 2 messages",
            "1: evaluation: ON EMITTING ran longer than 10s",
            "1: evaluation: ON EMITTING BATCH ran longer than 10s for a batch of 2 messages",
            "[3]",
        ]
    );
}

#[tokio::test]
async fn a_payload_at_which_a_job_was_stopped_is_rejected_alone() {
    let def = native(JaqFormat::Json, small(), programs(".", None, Some("{id: .}")));
    let jobs: Arc<dyn Jobs> = stopping(&[(1, 0)]);
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
async fn a_job_that_stops_outside_of_any_step_is_refused() {
    struct Never;
    impl Jobs for Never {
        fn run(&self, _job: Job) -> JobFuture<Answer> {
            Box::pin(std::future::ready(Ok(Answer::Stopped {
                did: "took more than 1MiB of memory".into(),
                step: None,
            })))
        }
    }
    let def = native(JaqFormat::Json, small(), programs(".id", None, None));
    let jobs: Arc<dyn Jobs> = Arc::new(Never);
    let encoder = encoder(&def, None, None, &jobs).unwrap();
    let Packing::Job(job) = encoder.pack(&[small_rows(&[None])], 1) else {
        panic!("it was done on the spot")
    };
    let refused = job.await.unwrap_err();
    assert_eq!(
        refused,
        Refused {
            message: "an extension worker took more than 1MiB of memory outside of any program".into()
        }
    );
}
