//! The near side of emission: jobs, and what is done when one is stopped.

use std::sync::Arc;

use bytes::Bytes;
use nspl_model::BatchLimits;

use super::definition::Definition;
use super::emission::of_batch;
use super::request::{Emit, Struck, Task, read_packed, write_job};
use super::rows::front;
use super::stopped::run_to_its_end;
use crate::encode::{Packing, PayloadEncoder, Rows};
use crate::fault::RecordFault;
use crate::jobs::{Jobs, Refused, Step};

/// A job takes so many rows, or beyond one candidate so many, or another candidate.
const ROWS_ENOUGH: usize = 4096;

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
    /// members that were prepared once, so it takes rows for several candidates.
    fn rows_max(&self, payloads_max: usize) -> usize {
        match self.limits {
            None => payloads_max.clamp(1, ROWS_ENOUGH),
            Some(limits) => {
                let candidate = limits.max_messages as usize;
                candidate + candidate.max(ROWS_ENOUGH)
            }
        }
    }
}

impl PayloadEncoder for ProgramEncoder {
    fn pack(&self, rows: &[Rows], payloads_max: usize) -> Packing {
        let rows_max = self.rows_max(payloads_max);
        let waiting: usize = rows.iter().map(|run| run.records.num_rows()).sum();
        let task = Task::Emit(Emit {
            rows: front(rows, rows_max),
            more: waiting > rows_max,
            limits: self.limits,
            payloads_max,
        });
        let (definition, jobs) = (self.definition.clone(), Arc::clone(&self.jobs));
        Packing::Job(Box::pin(async move {
            let write = |struck: &[Struck]| write_job(&definition, struck, &task);
            let answer = run_to_its_end(&*jobs, write, blame).await?;
            read_packed(&answer).map_err(|unreadable| Refused {
                message: unreadable.to_string().into(),
            })
        }))
    }
}

/// `ON EMITTING BATCH ran longer than 10s for a batch of 3 messages`.
fn blame(step: Step, did: &str) -> RecordFault {
    let cause = match step.members {
        0 => format!("ON EMITTING {did}"),
        members => format!("ON EMITTING BATCH {did} {}", of_batch(members as usize)),
    };
    RecordFault::evaluation(Vec::new(), cause)
}
