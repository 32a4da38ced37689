//! Where the programs of codecs run (rulings section 9, jaq programs): whole jobs, on whatever can really be stopped.
//!
//! A job and its answer are bytes, since a worker process reads them from a pipe. What is in them only the codecs know.

use std::borrow::Cow;
use std::future::Future;
use std::pin::Pin;

use bytes::Bytes;
use thiserror::Error;

/// One whole job: the members of a candidate with all their programs, or payloads to decode.
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
    /// It was stopped at a limit of time or memory; the text names the limit.
    Stopped(Cow<'static, str>),
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
    /// Runs one job within the limits of the place where it runs.
    fn run(&self, job: Job) -> JobFuture<Answer>;
}
