//! One job on one process, watched.

use std::pin::pin;

use bytes::Bytes;
use nervix_clock::PhysicalClock;
use nervix_codec::Step;

use crate::frame;
use crate::limits::ExtensionLimits;
use crate::process::{Ending, Process};

/// How often in the time of a step it is looked whether the job has come further.
const LOOKS_PER_STEP: u32 = 8;

/// What came of a job on a process.
pub(crate) enum Outcome {
    /// The answer; the process takes the next job.
    Answered(Bytes, Box<Process>),
    /// A step ran too long; the process is gone.
    TooLong(Option<Step>),
    /// The process ran out of memory or stack.
    Exhausted(Option<Step>),
    /// The process was ended by somebody, or broke its pipes.
    Lost,
}

/// Hands a job to a process and waits for the answer, while each step takes no longer than its time.
pub(crate) async fn exchange(
    mut process: Process,
    job: &Bytes,
    limits: &ExtensionLimits,
    clock: &PhysicalClock,
) -> Outcome {
    let step_time = limits.step_time;
    process.jobs += 1;
    let number = process.jobs;
    let (input, output, notes) = (&mut process.input, &mut process.output, &process.notes);
    let answered = {
        let mut answering = pin!(async {
            frame::send(input, job).await?;
            // It was made below the limit of memory.
            frame::receive(output, limits.memory_bytes).await
        });
        let (mut latest, mut since) = (None, clock.now());
        loop {
            let look = step_time / LOOKS_PER_STEP;
            match clock.timeout(look, answering.as_mut()).await {
                Ok(answered) => break Some(answered),
                Err(_) => {
                    let (step, now) = (notes.latest(number), clock.now());
                    if step != latest {
                        (latest, since) = (step, now);
                    } else if now.since(since) >= step_time {
                        break None;
                    }
                }
            }
        }
    };
    match answered {
        Some(Ok(answer)) => Outcome::Answered(answer, Box::new(process)),
        Some(Err(_)) => {
            let step = process.notes.latest(number);
            match process.ending().await {
                Ending::Exhausted => Outcome::Exhausted(step),
                Ending::Killed => Outcome::Lost,
            }
        }
        None => {
            let step = process.notes.latest(number);
            process.kill().await;
            Outcome::TooLong(step)
        }
    }
}
