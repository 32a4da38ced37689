//! Jobs that are stopped at a limit.
//!
//! Invariant: only the step at which a job stood is blamed; everything else of the job is done again, without it. Each
//! attempt strikes one more step, so that a job ends.

use bytes::Bytes;

use super::request::Struck;
use crate::fault::RecordFault;
use crate::jobs::{Answer, Job, Jobs, Refused, Step};

/// Runs a job again and again, each time without the step at which it was stopped.
pub(super) async fn run_to_its_end(
    jobs: &dyn Jobs,
    write: impl Fn(&[Struck]) -> Result<Bytes, Refused>,
    blame: impl Fn(Step, &str) -> RecordFault,
) -> Result<Bytes, Refused> {
    let mut struck: Vec<Struck> = Vec::new();
    loop {
        let bytes = write(&struck)?;
        match jobs.run(Job { bytes }).await? {
            Answer::Done(answer) => return Ok(answer),
            Answer::Stopped { did, step } => {
                let new = step.filter(|step| struck.iter().all(|known| known.step != *step));
                let step = new.ok_or_else(|| Refused {
                    message: format!("an extension worker {did} outside of any program").into(),
                })?;
                let fault = blame(step, &did);
                struck.push(Struck { step, fault });
            }
        }
    }
}
