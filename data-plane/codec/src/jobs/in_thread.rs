//! Jobs on the thread that asks for them: for tests, and to measure what processes cost. Nothing here can be stopped.

use std::cell::RefCell;
use std::future::ready;

use super::{Answer, Job, JobFuture, Jobs, Place, Refused, Step, Watch};
use crate::programs::Workshop;

/// Runs each job at once, to its end.
#[derive(Debug, Clone, Copy, Default)]
pub struct InThread;

thread_local! {
    static WORKSHOP: RefCell<Workshop> = RefCell::new(Workshop::default());
}

struct Unwatched;

impl Watch for Unwatched {
    fn begins(&mut self, _step: Step) {}
}

impl Jobs for InThread {
    fn place(&self) -> Result<Box<dyn Place>, Refused> {
        Ok(Box::new(*self))
    }
}

impl Place for InThread {
    fn run(&self, job: Job) -> JobFuture<Answer> {
        let done = WORKSHOP.with_borrow_mut(|workshop| workshop.run(&job.bytes, &mut Unwatched));
        Box::pin(ready(match done {
            Ok(answer) => Ok(Answer::Done(answer)),
            Err(unreadable) => Err(Refused {
                message: unreadable.to_string().into(),
            }),
        }))
    }
}
