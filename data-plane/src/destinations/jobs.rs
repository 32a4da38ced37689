//! Jobs of codecs on a node: their bytes count in its budget while they run or wait for a process. Answers do not: each is
//! read into what it stands for as soon as it is there.

use std::sync::Arc;

use nervix_budget::Budget;
use nervix_codec::{Answer, Job, JobFuture, Jobs, Place, Refused};

/// Takes no job: a node that was started without extension workers keeps the records of codecs with programs.
pub(crate) struct NoJobs;

impl Jobs for NoJobs {
    fn place(&self) -> Result<Box<dyn Place>, Refused> {
        let message = "this node was started without extension workers".into();
        Err(Refused { message })
    }
}

/// Jobs of a node.
pub(super) struct CountedJobs {
    pub(super) jobs: Arc<dyn Jobs>,
    pub(super) budget: Budget,
}

impl Jobs for CountedJobs {
    fn place(&self) -> Result<Box<dyn Place>, Refused> {
        Ok(Box::new(CountedPlace {
            place: self.jobs.place()?,
            budget: self.budget.clone(),
        }))
    }
}

struct CountedPlace {
    place: Box<dyn Place>,
    budget: Budget,
}

impl Place for CountedPlace {
    fn run(&self, job: Job) -> JobFuture<Answer> {
        let held = self.budget.charge(job.bytes.len() as u64);
        let running = self.place.run(job);
        Box::pin(async move {
            let answer = running.await;
            drop(held);
            answer
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bytes::Bytes;
    use futures::FutureExt;
    use nervix_budget::Budget;
    use nervix_codec::{Answer, Job, JobFuture, Jobs, Place, Refused};

    use super::CountedJobs;

    /// Never comes to an end with a job.
    #[derive(Clone, Copy)]
    struct Endless;

    impl Jobs for Endless {
        fn place(&self) -> Result<Box<dyn Place>, Refused> {
            Ok(Box::new(*self))
        }
    }

    impl Place for Endless {
        fn run(&self, _job: Job) -> JobFuture<Answer> {
            Box::pin(std::future::pending())
        }
    }

    #[test]
    fn a_job_counts_until_it_ends_or_is_abandoned() {
        let budget = Budget::new(1_000);
        let jobs = CountedJobs {
            jobs: Arc::new(Endless),
            budget: budget.clone(),
        };
        let place = jobs.place().unwrap();
        let bytes = Bytes::from_static(&[0; 100]);
        let mut running = place.run(Job { bytes });
        assert!((&mut running).now_or_never().is_none());
        assert_eq!(budget.used(), 100);
        drop(running);
        assert_eq!(budget.used(), 0);
    }
}
