//! What a job asks for and what it answers, as bytes.

use arrow::record_batch::RecordBatch;
use bytes::Bytes;
use nspl_model::BatchLimits;

use super::wire::{Reader, Unreadable, Writer};
use crate::decode::{Decoded, RejectedPayload};
use crate::encode::{LeftOut, Packed, Rows};
use crate::fault::RecordFault;
use crate::jobs::{Refused, Step};

/// A step that was stopped in an earlier attempt: it is not run again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Struck {
    pub(crate) step: Step,
    pub(crate) fault: RecordFault,
}

/// Records to payloads.
#[derive(Debug, Clone)]
pub(crate) struct Emit {
    pub(crate) rows: Vec<Rows>,
    /// Whether more rows wait behind these.
    pub(crate) more: bool,
    pub(crate) limits: Option<BatchLimits>,
    pub(crate) payloads_max: usize,
}

/// Payloads to records.
#[derive(Debug, Clone)]
pub(crate) struct Ingest {
    /// A batch without rows: what the records are to look like.
    pub(crate) empty: RecordBatch,
    pub(crate) payloads: Vec<Bytes>,
    pub(crate) now_ns: i64,
}

/// What a job is to do.
pub(crate) enum Task {
    Emit(Emit),
    Ingest(Ingest),
}

const EMIT: u8 = 0;
const INGEST: u8 = 1;
const PAYLOAD: u8 = 0;
const REJECTED: u8 = 1;

/// A job: the definition, what was struck, and the task.
pub(crate) fn write_job(definition: &[u8], struck: &[Struck], task: &Task) -> Result<Bytes, Refused> {
    let mut out = Writer::default();
    out.bytes(definition);
    out.count(struck.len());
    for Struck { step, fault } in struck {
        out.number(step.row);
        out.number(step.members);
        out.fault(fault);
    }
    let written = match task {
        Task::Emit(emit) => write_emit(emit, &mut out),
        Task::Ingest(ingest) => {
            out.byte(INGEST);
            out.instant(ingest.now_ns);
            out.count(ingest.payloads.len());
            ingest.payloads.iter().for_each(|payload| out.bytes(payload));
            out.records(&ingest.empty)
        }
    };
    // Columns of NSPL types can always be written.
    written.map_err(|_| Refused {
        message: "the records cannot be handed to an extension worker".into(),
    })?;
    Ok(out.into_bytes())
}

fn write_emit(emit: &Emit, out: &mut Writer) -> Result<(), arrow::error::ArrowError> {
    out.byte(EMIT);
    out.byte(u8::from(emit.more));
    out.byte(u8::from(emit.limits.is_some()));
    if let Some(limits) = emit.limits {
        out.number(limits.max_messages);
        out.long(limits.max_bytes);
    }
    out.count(emit.payloads_max);
    out.count(emit.rows.len());
    emit.rows.iter().try_for_each(|run| {
        out.instant(run.snapshot_ns);
        out.records(&run.records)
    })
}

/// The definition alone.
pub(crate) fn definition_of(job: &[u8]) -> Result<&[u8], Unreadable> {
    Reader::new(job).bytes()
}

/// The definition, what was struck, and the task.
pub(crate) fn read_job(job: &[u8]) -> Result<(&[u8], Vec<Struck>, Task), Unreadable> {
    let mut reader = Reader::new(job);
    let definition = reader.bytes()?;
    let struck = reader.list(|reader| {
        Ok(Struck {
            step: Step {
                row: reader.number()?,
                members: reader.number()?,
            },
            fault: reader.fault()?,
        })
    })?;
    let task = match reader.byte()? {
        EMIT => Task::Emit(Emit {
            more: reader.byte()? != 0,
            limits: match reader.byte()? {
                0 => None,
                _ => Some(BatchLimits {
                    max_messages: reader.number()?,
                    max_bytes: reader.long()?,
                }),
            },
            payloads_max: reader.number()? as usize,
            rows: reader.list(|reader| {
                Ok(Rows {
                    snapshot_ns: reader.instant()?,
                    records: reader.records()?,
                })
            })?,
        }),
        INGEST => Task::Ingest(Ingest {
            now_ns: reader.instant()?,
            payloads: reader.list(|reader| reader.bytes().map(Bytes::copy_from_slice))?,
            empty: reader.records()?,
        }),
        _ => return Err(Unreadable),
    };
    reader.end()?;
    Ok((definition, struck, task))
}

pub(crate) fn write_packed(results: &[Packed]) -> Bytes {
    let mut out = Writer::default();
    out.count(results.len());
    for packed in results {
        match packed {
            Packed::Payload {
                rows,
                left_out,
                bytes,
            } => {
                out.byte(PAYLOAD);
                out.count(*rows);
                write_left_out(left_out, &mut out);
                out.bytes(bytes);
            }
            Packed::Rejected {
                rows,
                left_out,
                fault,
            } => {
                out.byte(REJECTED);
                out.count(*rows);
                write_left_out(left_out, &mut out);
                out.fault(fault);
            }
        }
    }
    out.into_bytes()
}

fn write_left_out(left_out: &[LeftOut], out: &mut Writer) {
    out.count(left_out.len());
    for LeftOut { row, fault } in left_out {
        out.count(*row);
        out.fault(fault);
    }
}

fn read_left_out(reader: &mut Reader<'_>) -> Result<Vec<LeftOut>, Unreadable> {
    reader.list(|reader| {
        Ok(LeftOut {
            row: reader.number()? as usize,
            fault: reader.fault()?,
        })
    })
}

pub(crate) fn read_packed(answer: &Bytes) -> Result<Vec<Packed>, Unreadable> {
    let mut reader = Reader::new(answer);
    let results = reader.list(|reader| {
        Ok(match reader.byte()? {
            PAYLOAD => Packed::Payload {
                rows: reader.number()? as usize,
                left_out: read_left_out(reader)?,
                // A payload lives as long as it is retried: it must not keep its neighbours in memory.
                bytes: Bytes::copy_from_slice(reader.bytes()?),
            },
            REJECTED => Packed::Rejected {
                rows: reader.number()? as usize,
                left_out: read_left_out(reader)?,
                fault: reader.fault()?,
            },
            _ => return Err(Unreadable),
        })
    })?;
    reader.end()?;
    Ok(results)
}

pub(crate) fn write_decoded(decoded: &Decoded) -> Result<Bytes, Unreadable> {
    let mut out = Writer::default();
    out.number(decoded.read);
    out.count(decoded.payloads.len());
    decoded.payloads.iter().for_each(|place| out.number(*place));
    out.count(decoded.rejected.len());
    for RejectedPayload { payload, fault } in &decoded.rejected {
        out.number(*payload);
        out.fault(fault);
    }
    out.records(&decoded.records).map_err(|_| Unreadable)?;
    Ok(out.into_bytes())
}

pub(crate) fn read_decoded(answer: &[u8]) -> Result<Decoded, Unreadable> {
    let mut reader = Reader::new(answer);
    let decoded = Decoded {
        read: reader.number()?,
        payloads: reader.list(Reader::number)?,
        rejected: reader.list(|reader| {
            Ok(RejectedPayload {
                payload: reader.number()?,
                fault: reader.fault()?,
            })
        })?,
        records: reader.records()?,
    };
    reader.end()?;
    Ok(decoded)
}
