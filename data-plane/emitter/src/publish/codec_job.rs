//! Encoding that an extension worker does beside the task.
//!
//! Invariant: one job at a time; what it has come to stays until it is taken.

use std::task::{Context, Poll};

use futures::FutureExt;
use nervix_codec::{JobFuture, Packed, Refused};

/// The job of one driver.
#[derive(Default)]
pub(crate) struct CodecJob {
    running: Option<JobFuture<Vec<Packed>>>,
    ended: Option<Result<Vec<Packed>, Refused>>,
}

impl CodecJob {
    pub(crate) fn begin(&mut self, job: JobFuture<Vec<Packed>>) {
        self.running = Some(job);
    }

    /// Whether none is under way, and nothing of one waits to be taken.
    pub(crate) fn is_idle(&self) -> bool {
        self.running.is_none() && self.ended.is_none()
    }

    /// Ready while there is something to take.
    pub(crate) fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if let Some(job) = &mut self.running
            && let Poll::Ready(packed) = job.poll_unpin(cx)
        {
            self.running = None;
            self.ended = Some(packed);
        }
        match self.ended {
            Some(_) => Poll::Ready(()),
            None => Poll::Pending,
        }
    }

    pub(crate) fn take(&mut self) -> Option<Result<Vec<Packed>, Refused>> {
        self.ended.take()
    }
}
