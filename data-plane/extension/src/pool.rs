//! The side of the node: processes, and the jobs that wait for one.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use nervix_clock::{Allowance, PhysicalClock};
use nervix_codec::{Answer, Job, JobFuture, Jobs, Limit, Place, Refused};
use nspl_model::{DurationText, SizeText};
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::exchange::{Outcome, exchange};
use crate::limits::{ExtensionLimits, STOPPED_LINES_MAX, STOPPED_PERIOD};
use crate::process::{Process, Start};

/// How often a job whose process was ended by somebody is given to another one.
const LOST_MAX: u32 = 2;

/// Extension workers of one node. Processes start when there are jobs for them, and stay.
pub struct Pool {
    shared: Arc<Shared>,
}

struct Shared {
    limits: ExtensionLimits,
    start: Start,
    clock: PhysicalClock,
    /// For a job that runs or waits, in all its attempts.
    places: Arc<Semaphore>,
    /// For a job that runs.
    seats: Semaphore,
    /// Processes without a job; never more than seats.
    idle: Mutex<Vec<Process>>,
    /// Lines about processes that were ended at a limit.
    lines: Mutex<Allowance>,
}

impl Pool {
    /// A pool whose processes are of the executable that runs, which has to know the subcommand `extension-worker`.
    pub fn new(limits: ExtensionLimits, clock: PhysicalClock) -> Self {
        Self::start(limits, clock, None)
    }

    /// A pool whose processes are of another executable that knows the subcommand.
    pub fn of_executable(limits: ExtensionLimits, clock: PhysicalClock, executable: PathBuf) -> Self {
        Self::start(limits, clock, Some(executable))
    }

    fn start(limits: ExtensionLimits, clock: PhysicalClock, executable: Option<PathBuf>) -> Self {
        let workers = limits.workers.get();
        let shared = Shared {
            start: Start {
                executable,
                memory_bytes: limits.memory_bytes,
            },
            clock,
            places: Arc::new(Semaphore::new(
                workers.saturating_add(limits.waiting).min(Semaphore::MAX_PERMITS),
            )),
            seats: Semaphore::new(workers.min(Semaphore::MAX_PERMITS)),
            idle: Mutex::new(Vec::new()),
            lines: Mutex::new(Allowance::new(STOPPED_LINES_MAX, STOPPED_PERIOD)),
            limits,
        };
        Self {
            shared: Arc::new(shared),
        }
    }
}

impl Jobs for Pool {
    fn place(&self) -> Result<Box<dyn Place>, Refused> {
        let shared = Arc::clone(&self.shared);
        match Arc::clone(&shared.places).try_acquire_owned() {
            Ok(permit) => Ok(Box::new(PoolPlace {
                shared,
                _permit: permit,
            })),
            Err(_) => {
                let ExtensionLimits { workers, waiting, .. } = shared.limits;
                Err(refused(format!(
                    "all {workers} extension workers are busy and {waiting} jobs wait for one"
                )))
            }
        }
    }
}

/// A place of one job.
struct PoolPlace {
    shared: Arc<Shared>,
    _permit: OwnedSemaphorePermit,
}

impl Place for PoolPlace {
    fn run(&self, job: Job) -> JobFuture<Answer> {
        let shared = Arc::clone(&self.shared);
        Box::pin(async move { shared.run(&job.bytes).await })
    }
}

impl Shared {
    async fn run(&self, job: &Bytes) -> Result<Answer, Refused> {
        // The semaphore is never closed.
        let _seat = self
            .seats
            .acquire()
            .await
            .map_err(|closed| refused(closed.to_string()))?;
        for _ in 0..LOST_MAX {
            let process = self.process()?;
            let outcome = exchange(process, job, &self.limits, &self.clock).await;
            let (limit, did, step) = match outcome {
                Outcome::Answered(answer, process) => {
                    self.idle.lock().push(*process);
                    return match answer.is_empty() {
                        false => Ok(Answer::Done(answer)),
                        true => Err(refused("an extension worker could not read its job")),
                    };
                }
                Outcome::TooLong(step) => {
                    let most = DurationText(self.limits.step_time);
                    (Limit::Time, format!("ran longer than {most}"), step)
                }
                Outcome::Exhausted(step) => {
                    let most = SizeText(self.limits.memory_bytes);
                    (Limit::Memory, format!("took more than {most} of memory"), step)
                }
                Outcome::Lost => continue,
            };
            if let Some(passed_over) = self.lines.lock().take(self.clock.now(), 1) {
                tracing::warn!(%did, passed_over, "an extension worker was ended at its limit");
            }
            return Ok(Answer::Stopped {
                limit,
                did: did.into(),
                step,
            });
        }
        Err(refused(
            "extension workers were ended from outside while they ran a job",
        ))
    }

    fn process(&self) -> Result<Process, Refused> {
        while let Some(mut idle) = self.idle.lock().pop() {
            if idle.lives() {
                return Ok(idle);
            }
        }
        let started = self.start.process();
        started.map_err(|error| refused(format!("an extension worker does not start: {error}")))
    }
}

fn refused(message: impl Into<std::borrow::Cow<'static, str>>) -> Refused {
    Refused {
        message: message.into(),
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool")
            .field("limits", &self.shared.limits)
            .finish_non_exhaustive()
    }
}
