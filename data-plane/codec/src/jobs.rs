//! Where the programs of codecs run (rulings section 9, jaq programs): whole jobs, on whatever can really be stopped.
//!
//! A job and its answer are bytes, since a worker process reads them from a pipe. What is in them only the codecs know:
//! whoever runs a job has a [`crate::Workshop`] do it, keeps the last [`Step`] that it was told of, and gives that back when
//! it stops the job, so that the blame falls on one record or on one batch.

use std::borrow::Cow;
use std::future::Future;
use std::pin::Pin;

use bytes::Bytes;
use thiserror::Error;

mod in_thread;

pub use in_thread::InThread;

/// One whole job: the members of candidates with all their programs, or payloads to decode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// The form in which it travels.
    pub bytes: Bytes,
}

/// How a job ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// It ran to its end; its result in the form in which it travels.
    Done(Bytes),
    /// It was stopped at a limit.
    Stopped {
        /// Which.
        limit: Limit,
        /// What the step did, such as `ran longer than 10s`.
        did: Cow<'static, str>,
        /// Where the job stood; none when it had not begun.
        step: Option<Step>,
    },
}

/// What a job can pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// The time of one step.
    Time,
    /// The memory of the whole job: its bytes, what its steps keep, and the one at which it stands.
    Memory,
}

/// Where a job stands. A limit of time is one of each step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Step {
    /// The record or payload, counted from the first one of the job; of a batch the first one of its candidate.
    pub row: u32,
    /// The members of a batch that is being transformed; 0 while it is about one record or payload.
    pub members: u32,
}

impl Step {
    pub(crate) fn of_row(row: usize) -> Self {
        Self {
            row: u32::try_from(row).unwrap_or(u32::MAX),
            members: 0,
        }
    }

    pub(crate) fn of_batch(row: usize, members: usize) -> Self {
        Self {
            members: u32::try_from(members).unwrap_or(u32::MAX),
            ..Self::of_row(row)
        }
    }
}

/// Is told of each step before it begins.
pub trait Watch {
    /// The job has come to a step.
    fn begins(&mut self, step: Step);
}

/// The node cannot take the job now. Its records are kept and tried again as after a failed publish.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct Refused {
    /// What is missing, without a value or a secret.
    pub message: Cow<'static, str>,
}

/// What comes of a job; dropping it abandons the job.
pub type JobFuture<T> = Pin<Box<dyn Future<Output = Result<T, Refused>> + Send>>;

/// Takes jobs: the node's extension workers, or the same thread in tests and benches.
pub trait Jobs: Send + Sync {
    /// A place for one job and all attempts at it, so that what was learned from one that was stopped is not lost.
    ///
    /// # Errors
    /// [`Refused`] when there is none.
    fn place(&self) -> Result<Box<dyn Place>, Refused>;
}

/// A place for one job; dropping it gives it back.
pub trait Place: Send + Sync {
    /// Runs an attempt within the limits of the place where it runs.
    fn run(&self, job: Job) -> JobFuture<Answer>;
}
