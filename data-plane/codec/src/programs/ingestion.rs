//! Payloads to records, inside a job.
//!
//! Each payload is a step: it is read, ON INGESTION makes at least one record of it, and all its records become rows. A
//! payload of which anything fails gives no row at all.

use jaq_json::Val;
use nspl_jaq::Program;

use super::columns::Columns;
use super::definition::Compiled;
use super::request::{Ingest, Struck};
use super::step::{self, Steps};
use crate::decode::{Decoded, RejectedPayload};
use crate::fault::RecordFault;
use crate::jobs::{Step, Watch};
use crate::native::fault::ReadFault;
use crate::native::nesting;

/// The most records of one payload.
const RECORDS_MAX: usize = 65_536;

/// No further payload is read when the records have grown to this.
const BYTES_ENOUGH: usize = 64 << 20;

/// Reads payloads from the first one on.
pub(super) fn run(codec: &Compiled, ingest: &Ingest, struck: &[Struck], watch: &mut dyn Watch) -> Decoded {
    let mut steps = Steps { struck, watch };
    let mut columns = Columns::new(ingest.empty.schema());
    let mut decoded = Decoded {
        read: 0,
        records: ingest.empty.clone(),
        payloads: Vec::new(),
        rejected: Vec::new(),
    };
    for (payload, bytes) in (0_u32..).zip(&ingest.payloads) {
        let before = columns.rows();
        let work = || match &codec.ingestion {
            Some(program) => read(codec, program, bytes, (ingest.now_ns, &mut columns)),
            None => Err(failed()),
        };
        if let Err(fault) = steps.run(Step::of_row(payload as usize), failed, work) {
            columns.truncate(before);
            decoded.rejected.push(RejectedPayload { payload, fault });
        }
        decoded.payloads.extend((before..columns.rows()).map(|_| payload));
        decoded.read = payload + 1;
        if columns.bytes() >= BYTES_ENOUGH {
            break;
        }
    }
    match columns.finish() {
        Ok(records) => decoded.records = records,
        // One payload has more than a column can hold; those before it were not nearly as much.
        Err(_) => {
            let cause = "ON INGESTION produced more than a batch of records can hold";
            decoded.payloads.clear();
            decoded.rejected = (0..decoded.read)
                .map(|payload| RejectedPayload {
                    payload,
                    fault: RecordFault::validation(Vec::new(), cause),
                })
                .collect();
        }
    }
    decoded
}

fn read(
    codec: &Compiled,
    program: &Program,
    payload: &[u8],
    (now_ns, columns): (i64, &mut Columns),
) -> Result<(), RecordFault> {
    let name = codec.format.name();
    let value = codec
        .format
        .read(payload)
        .map_err(|fault| unreadable(name, fault))?;
    let before = columns.rows();
    for record in program.run(value, now_ns) {
        let record = record.map_err(|_| failed())?;
        if columns.rows() - before >= RECORDS_MAX {
            let cause = format!("ON INGESTION produced more than {RECORDS_MAX} records");
            return Err(RecordFault::evaluation(Vec::new(), cause));
        }
        push(&record, columns)?;
    }
    if columns.rows() == before {
        let cause = format!("ON INGESTION {}", step::NO_OUTPUT);
        return Err(RecordFault::evaluation(Vec::new(), cause));
    }
    Ok(())
}

fn push(record: &Val, columns: &mut Columns) -> Result<(), RecordFault> {
    if nesting::is_bounded(record) {
        return columns.push(record);
    }
    let cause = format!("ON INGESTION produced {}", nesting::TOO_DEEP);
    Err(RecordFault::validation(Vec::new(), cause))
}

fn failed() -> RecordFault {
    RecordFault::evaluation(Vec::new(), format!("ON INGESTION {}", step::FAILED))
}

fn unreadable(format: &str, fault: ReadFault) -> RecordFault {
    let cause = match fault {
        ReadFault::Malformed => format!("the payload is not {format}"),
        ReadFault::TooDeep => format!("the payload holds {}", nesting::TOO_DEEP),
        ReadFault::Unsupported(what) => format!("the payload holds {what}, which is not read"),
    };
    RecordFault::validation(Vec::new(), cause)
}
