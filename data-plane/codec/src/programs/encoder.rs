//! The near side of emission: jobs, and what is done when one is stopped.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use nspl_model::BatchLimits;

use super::definition::Definition;
use super::emission::of_batch;
use super::request::{Emit, Struck, Task, read_packed, write_job};
use super::rows;
use super::stopped::{Work, run_to_its_end};
use crate::encode::{Packing, PayloadEncoder, Rows};
use crate::fault::RecordFault;
use crate::jobs::{Jobs, Refused, Step};

/// A job takes so many rows, or beyond one candidate so many, or another candidate.
const ROWS_ENOUGH: usize = 4096;

/// Beyond its first candidate a job takes no further row when it has so many bytes.
const JOB_BYTES_ENOUGH: u64 = 16 << 20;

/// Encodes through programs.
pub(crate) struct ProgramEncoder {
    definition: Bytes,
    limits: Option<BatchLimits>,
    jobs: Arc<dyn Jobs>,
}

impl ProgramEncoder {
    pub(crate) fn new(definition: &Definition, limits: Option<BatchLimits>, jobs: Arc<dyn Jobs>) -> Self {
        Self {
            definition: definition.write().into(),
            limits,
            jobs,
        }
    }

    /// How many rows a job takes: a candidate is all that waits, at most MAX MESSAGES, and the payloads of one job are made of
    /// members that were prepared once, so it takes rows for several candidates, as long as they are not too large.
    fn rows_of_job(&self, rows: &[Rows], payloads_max: usize) -> usize {
        let (candidate, most) = match self.limits {
            None => (1, payloads_max.clamp(1, ROWS_ENOUGH)),
            Some(limits) => {
                let candidate = limits.max_messages as usize;
                (candidate, candidate + candidate.max(ROWS_ENOUGH))
            }
        };
        rows::within(rows, JOB_BYTES_ENOUGH).clamp(candidate, most)
    }
}

impl PayloadEncoder for ProgramEncoder {
    fn pack(&self, rows: &[Rows], payloads_max: usize) -> Packing {
        let emission = Emission {
            definition: self.definition.clone(),
            rows: rows::part(rows, 0..self.rows_of_job(rows, payloads_max)),
            waiting: rows::count(rows),
            limits: self.limits,
            payloads_max,
        };
        let jobs = Arc::clone(&self.jobs);
        Packing::Job(Box::pin(async move {
            let answer = run_to_its_end(&*jobs, &emission).await?;
            read_packed(&answer).map_err(|unreadable| Refused {
                message: unreadable.to_string().into(),
            })
        }))
    }
}

/// What one call of the encoder is about.
struct Emission {
    definition: Bytes,
    rows: Vec<Rows>,
    /// These and the rows behind them.
    waiting: usize,
    limits: Option<BatchLimits>,
    payloads_max: usize,
}

impl Work for Emission {
    fn count(&self) -> usize {
        rows::count(&self.rows)
    }

    fn candidate(&self) -> usize {
        self.limits.map_or(1, |limits| limits.max_messages as usize)
    }

    fn job(&self, part: Range<usize>, struck: &[Struck]) -> Result<Bytes, Refused> {
        let task = Task::Emit(Emit {
            more: self.waiting > part.end,
            rows: rows::part(&self.rows, part),
            limits: self.limits,
            payloads_max: self.payloads_max,
        });
        write_job(&self.definition, struck, &task)
    }

    /// `ON EMITTING BATCH ran longer than 10s for a batch of 3 messages`.
    fn blame(&self, step: Step, did: &str) -> RecordFault {
        let cause = match step.members {
            0 => format!("ON EMITTING {did}"),
            members => format!("ON EMITTING BATCH {did} {}", of_batch(members as usize)),
        };
        RecordFault::evaluation(Vec::new(), cause)
    }
}
