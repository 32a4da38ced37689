//! Jobs that are stopped at a limit.
//!
//! Invariants: only what a job stood at is blamed, and for memory only what takes too much without the rest of the job: a
//! record or payload alone, a batch in a job of one candidate. Everything else is done again, without it or in a smaller
//! job. Each attempt strikes one more step or makes the job smaller, so that a job ends; all of them have one place.

use std::ops::Range;

use bytes::Bytes;

use super::request::Struck;
use crate::fault::RecordFault;
use crate::jobs::{Answer, Job, Jobs, Limit, Place, Refused, Step};

/// What a job is about, in full or in part.
pub(super) trait Work: Sync {
    /// Its records or payloads.
    fn count(&self) -> usize;
    /// How many of them are a candidate at most.
    fn candidate(&self) -> usize;
    /// The job of some of them.
    ///
    /// # Errors
    /// When they cannot be handed over.
    fn job(&self, part: Range<usize>, struck: &[Struck]) -> Result<Bytes, Refused>;
    /// The fault of a step that did this.
    fn blame(&self, step: Step, did: &str) -> RecordFault;
}

/// Runs a job again and again, until what is left of it comes to its end.
pub(super) async fn run_to_its_end(jobs: &dyn Jobs, work: &impl Work) -> Result<Bytes, Refused> {
    let place = jobs.place()?;
    let mut struck: Vec<Struck> = Vec::new();
    let mut count = work.count();
    loop {
        let stop = match attempt(&*place, work, 0..count, &struck).await? {
            Ok(answer) => return Ok(answer),
            Err(stop) => stop,
        };
        let (step, did, smaller) = match (stop.limit, stop.step) {
            (Limit::Time, step) => (step, stop.did, count),
            (Limit::Memory, Some(step)) if step.members > 0 => {
                let smaller = (count / 2).max(work.candidate().min(count));
                ((smaller == count).then_some(step), stop.did, smaller)
            }
            (Limit::Memory, step) if count <= 1 => (step.or(Some(Step::of_row(0))), stop.did, count),
            (Limit::Memory, None) => (None, stop.did, count / 2),
            (Limit::Memory, Some(step)) => {
                let alone = alone(&*place, work, step).await?;
                (alone.then_some(step), stop.did, count / 2)
            }
        };
        match step.filter(|step| struck.iter().all(|known| known.step != *step)) {
            Some(step) => {
                let fault = work.blame(step, &did);
                struck.push(Struck { step, fault });
            }
            None if smaller < count => count = smaller,
            None => {
                return Err(Refused {
                    message: format!("an extension worker {did} outside of any program").into(),
                });
            }
        }
    }
}

/// Where and why an attempt was stopped.
struct Stop {
    limit: Limit,
    did: String,
    step: Option<Step>,
}

async fn attempt(
    place: &dyn Place,
    work: &impl Work,
    part: Range<usize>,
    struck: &[Struck],
) -> Result<Result<Bytes, Stop>, Refused> {
    let bytes = work.job(part, struck)?;
    Ok(match place.run(Job { bytes }).await? {
        Answer::Done(answer) => Ok(answer),
        Answer::Stopped { limit, did, step } => Err(Stop {
            limit,
            did: did.into_owned(),
            step,
        }),
    })
}

/// Whether the record or payload of a step takes too much memory without any other.
async fn alone(place: &dyn Place, work: &impl Work, step: Step) -> Result<bool, Refused> {
    let row = step.row as usize;
    let attempted = attempt(place, work, row..row + 1, &[]).await?;
    Ok(attempted
        .is_err_and(|stop| stop.limit == Limit::Memory && stop.step.is_none_or(|step| step.members == 0)))
}
