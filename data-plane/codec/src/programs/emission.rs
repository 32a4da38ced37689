//! Records to payloads, inside a job.
//!
//! Without ON EMITTING BATCH the sizes of members add up, and packing is [`pack_batches`]'s. With it, each candidate is
//! transformed and written anew ([`transformed`]). Either way a record whose value cannot be made is rejected alone.

use bytes::Bytes;
use nspl_model::SizeText;

use super::definition::Compiled;
use super::request::{Emit, Struck};
use super::rows::Lane;
use super::step::{self, Steps};
use crate::bounded::{BoundedWriter, Full};
use crate::encode::Packed;
use crate::fault::RecordFault;
use crate::jobs::{Step, Watch};
use crate::native::fault::WriteFault;
use crate::packing::{Members, pack_batches};
use crate::results::{Enough, Results};

mod prepared;
mod transformed;

use prepared::Prepared;
pub(super) use transformed::of_batch;

/// The most bytes of a payload of an emitter without BATCH: what no destination takes is not built.
pub(super) const PAYLOAD_BYTES_MAX: u64 = 64 << 20;

/// A job makes no further payload when its answer has grown to this.
const ANSWER_BYTES_ENOUGH: u64 = 32 << 20;

/// Packs from the front of the rows.
pub(super) fn run(codec: &Compiled, emit: &Emit, struck: &[Struck], watch: &mut dyn Watch) -> Vec<Packed> {
    let mut maker = Maker {
        codec,
        lane: Lane::of(&emit.rows),
        steps: Steps { struck, watch },
    };
    let Some(limits) = emit.limits else {
        return singly(&mut maker, emit.payloads_max);
    };
    let affordable = (ANSWER_BYTES_ENOUGH / limits.max_bytes.max(1)).max(1);
    let payloads_max = emit
        .payloads_max
        .min(usize::try_from(affordable).unwrap_or(usize::MAX));
    let rows = maker.lane.rows();
    let mut results = match &codec.emitting_batch {
        Some(program) => transformed::pack_transformed(&mut maker, program, limits, payloads_max),
        None => {
            let mut prepared = Prepared::new(maker, limits.max_bytes);
            let (name, container) = (codec.format.name(), codec.format.container());
            let enough = Enough {
                payloads: payloads_max,
                bytes: ANSWER_BYTES_ENOUGH,
            };
            pack_batches(&mut prepared, container, limits, name, enough)
        }
    };
    if emit.more {
        let known = exact(&results, rows, limits.max_messages as usize);
        results.truncate(known.max(1));
    }
    results
}

/// How many results were made of whole candidates. A candidate is all that waits, so one that reaches the last row of the job
/// while more rows wait has to be looked at again.
fn exact(results: &[Packed], rows: usize, max_messages: usize) -> usize {
    let mut before = 0;
    let whole = results.iter().take_while(|packed| {
        let is_whole = before + max_messages <= rows;
        before += packed.rows();
        is_whole
    });
    whole.count()
}

/// Makes values of records.
struct Maker<'a> {
    codec: &'a Compiled,
    lane: Lane,
    steps: Steps<'a>,
}

impl Maker<'_> {
    /// The value that ON EMITTING makes of a record, handed on within the same step.
    fn member<T>(
        &mut self,
        row: usize,
        then: impl FnOnce(jaq_json::Val) -> Result<T, RecordFault>,
    ) -> Result<T, RecordFault> {
        let (codec, lane) = (self.codec, &self.lane);
        let work = || {
            let (record, now_ns) = lane.record(row, codec.format.bytes_form()).ok_or_else(failed)?;
            let program = codec.emitting.as_ref().ok_or_else(failed)?;
            let value = step::single_output(program, record, now_ns);
            then(value.map_err(|did| RecordFault::evaluation(Vec::new(), format!("ON EMITTING {did}")))?)
        };
        self.steps.run(Step::of_row(row), failed, work)
    }
}

fn failed() -> RecordFault {
    RecordFault::evaluation(Vec::new(), format!("ON EMITTING {}", step::FAILED))
}

/// `JSON cannot write a number that is not finite`.
fn unwritable(format: &str, what: &str) -> RecordFault {
    RecordFault::validation(Vec::new(), format!("{format} cannot write {what}"))
}

/// Every record a payload of its own.
fn singly(maker: &mut Maker<'_>, payloads_max: usize) -> Vec<Packed> {
    let format = &maker.codec.format;
    let mut out = BoundedWriter::default();
    let mut results = Results::new(Enough {
        payloads: payloads_max,
        bytes: ANSWER_BYTES_ENOUGH,
    });
    for row in 0..maker.lane.rows() {
        if !results.wants_more() {
            break;
        }
        out.truncate(0);
        out.allow(usize::try_from(PAYLOAD_BYTES_MAX).unwrap_or(usize::MAX));
        let made = maker.member(row, |value| {
            format.write(&value, &mut out).map_err(|fault| match fault {
                WriteFault::Value(what) => unwritable(format.name(), what),
                WriteFault::Full => {
                    let limit = SizeText(PAYLOAD_BYTES_MAX);
                    let cause = format!("{} payload exceeds {limit}", format.name());
                    RecordFault::validation(Vec::new(), cause)
                }
            })
        });
        results.push(match made {
            Ok(()) => Packed::Payload {
                rows: 1,
                left_out: Vec::new(),
                bytes: Bytes::copy_from_slice(out.bytes()),
            },
            Err(fault) => Packed::rejected(fault),
        });
    }
    results.into_made()
}
