//! The near side of ingestion: jobs, and what is done when one is stopped.

use std::ops::Range;
use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use bytes::Bytes;
use nervix_columns::arrow_schema;
use nspl_model::Schema;

use super::definition::Definition;
use super::request::{Ingest, Struck, Task, read_decoded, write_job};
use super::stopped::{Work, run_to_its_end};
use crate::decode::{Decoding, PayloadDecoder};
use crate::fault::RecordFault;
use crate::jobs::{Jobs, Refused, Step};

/// Decodes through programs.
pub(crate) struct ProgramDecoder {
    definition: Bytes,
    empty: RecordBatch,
    jobs: Arc<dyn Jobs>,
}

impl ProgramDecoder {
    pub(crate) fn new(definition: &Definition, schema: &Schema, jobs: Arc<dyn Jobs>) -> Self {
        Self {
            definition: definition.write().into(),
            empty: RecordBatch::new_empty(arrow_schema(schema)),
            jobs,
        }
    }
}

impl PayloadDecoder for ProgramDecoder {
    fn decode(&self, payloads: &[Bytes], now_ns: i64) -> Decoding {
        let ingestion = Ingestion {
            definition: self.definition.clone(),
            empty: self.empty.clone(),
            payloads: front(payloads),
            now_ns,
        };
        let jobs = Arc::clone(&self.jobs);
        Decoding::Job(Box::pin(async move {
            let answer = run_to_its_end(&*jobs, &ingestion).await?;
            read_decoded(&answer).map_err(|unreadable| Refused {
                message: unreadable.to_string().into(),
            })
        }))
    }
}

/// What one call of the decoder is about.
struct Ingestion {
    definition: Bytes,
    empty: RecordBatch,
    payloads: Vec<Bytes>,
    now_ns: i64,
}

impl Work for Ingestion {
    fn count(&self) -> usize {
        self.payloads.len()
    }

    fn candidate(&self) -> usize {
        1
    }

    fn job(&self, part: Range<usize>, struck: &[Struck]) -> Result<Bytes, Refused> {
        let task = Task::Ingest(Ingest {
            empty: self.empty.clone(),
            payloads: self.payloads.get(part).unwrap_or_default().to_vec(),
            now_ns: self.now_ns,
        });
        write_job(&self.definition, struck, &task)
    }

    /// `ON INGESTION ran longer than 10s`.
    fn blame(&self, _step: Step, did: &str) -> RecordFault {
        RecordFault::evaluation(Vec::new(), format!("ON INGESTION {did}"))
    }
}

/// A job takes no further payload when it has so many bytes.
const JOB_BYTES_ENOUGH: usize = 16 << 20;

/// The first payloads; at least one, when there is one.
fn front(payloads: &[Bytes]) -> Vec<Bytes> {
    let mut bytes = 0;
    let taken = payloads.iter().take_while(|payload| {
        let more = bytes < JOB_BYTES_ENOUGH;
        bytes += payload.len();
        more
    });
    taken.cloned().collect()
}
