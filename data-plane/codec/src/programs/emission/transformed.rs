//! Candidates that ON EMITTING BATCH makes one value of.
//!
//! Sizes do not add up, so each halving is transformed and written again. A transformation that fails fails its whole
//! candidate; nobody looks for a member to blame.

use std::collections::VecDeque;

use bytes::Bytes;
use jaq_json::Val;
use nspl_jaq::Program;
use nspl_model::{BatchLimits, SizeText};

use super::{BoundedWriter, Maker, Packed, RecordFault, Step, WriteFault, step};
use crate::encode::LeftOut;
use crate::native::nesting;
use crate::pack::{Encoding, Front, pack};

pub(super) fn pack_transformed(
    maker: &mut Maker<'_>,
    program: &Program,
    limits: BatchLimits,
    payloads_max: usize,
) -> Vec<Packed> {
    let mut candidates = Candidates {
        maker,
        program,
        limits,
        queue: VecDeque::new(),
        unfit: VecDeque::new(),
        judged: 0,
        covered: 0,
        results: Vec::new(),
    };
    while candidates.results.len() < payloads_max.max(1) && candidates.next() {}
    candidates.results
}

struct Candidates<'a, 'b> {
    maker: &'a mut Maker<'b>,
    program: &'a Program,
    limits: BatchLimits,
    /// What can be members of the next payloads, with their rows; at most MAX MESSAGES.
    queue: VecDeque<(usize, Val)>,
    /// Records that cannot be members and are not in a result yet.
    unfit: VecDeque<(usize, RecordFault)>,
    judged: usize,
    covered: usize,
    results: Vec<Packed>,
}

impl Candidates<'_, '_> {
    /// The next result; false when no record is left.
    fn next(&mut self) -> bool {
        self.prepare();
        let first = self.queue.front().map_or(usize::MAX, |(row, _)| *row);
        if let Some((_, fault)) = self.unfit.pop_front_if(|(row, _)| *row < first) {
            self.add(Packed::rejected(fault));
            return true;
        }
        if self.queue.is_empty() {
            return false;
        }
        let (available, messages_max) = (self.queue.len(), self.limits.max_messages);
        match pack(available, messages_max, |members| self.encode(members)) {
            Front::Payload { rows, payload } => self.give(rows, payload),
            Front::RowTooLarge => {
                let limit = SizeText(self.limits.max_bytes);
                let cause = format!(
                    "{} payload exceeds MAX SIZE {limit}",
                    self.maker.codec.format.name()
                );
                self.give(1, Err(RecordFault::validation(Vec::new(), cause)));
            }
        }
        true
    }

    fn add(&mut self, packed: Packed) {
        self.covered += packed.rows();
        self.results.push(packed);
    }

    /// Fills the queue up to a candidate.
    fn prepare(&mut self) {
        let most = self.limits.max_messages as usize;
        while self.queue.len() < most && self.judged < self.maker.lane.rows() {
            let row = self.judged;
            self.judged += 1;
            match self.maker.member(row, bounded) {
                Ok(value) => self.queue.push_back((row, value)),
                Err(fault) => self.unfit.push_back((row, fault)),
            }
        }
    }

    /// The first members of the queue as one payload; `Fits` also when they fail together.
    fn encode(&mut self, members: usize) -> Encoding<Result<Bytes, RecordFault>> {
        let failed = |did: &str| {
            let cause = format!("ON EMITTING BATCH {did} {}", of_batch(members));
            RecordFault::evaluation(Vec::new(), cause)
        };
        let format = &self.maker.codec.format;
        let first = self.queue.front().map_or(0, |(row, _)| *row);
        let now_ns = self.maker.lane.snapshot_ns(first);
        let (program, limit) = (self.program, self.limits.max_bytes);
        let values = self.queue.iter().take(members).map(|(_, value)| value.clone());
        let work = || {
            let batch = step::single_output(program, values.collect(), now_ns).map_err(failed)?;
            let mut out = BoundedWriter::default();
            out.allow(usize::try_from(limit).unwrap_or(usize::MAX));
            match format.write_batch(&batch, &mut out) {
                Ok(()) => Ok(Some(Bytes::copy_from_slice(out.bytes()))),
                Err(WriteFault::Full) => Ok(None),
                Err(WriteFault::Value(what)) => {
                    let name = format.name();
                    let cause = format!(
                        "ON EMITTING BATCH produced {what}, which {name} cannot write, {}",
                        of_batch(members)
                    );
                    Err(RecordFault::validation(Vec::new(), cause))
                }
            }
        };
        let step = Step::of_batch(first, members);
        match self.maker.steps.run(step, || failed(step::FAILED), work) {
            Ok(Some(bytes)) => Encoding::Fits(Ok(bytes)),
            Ok(None) => Encoding::TooLarge,
            Err(fault) => Encoding::Fits(Err(fault)),
        }
    }

    /// Takes the first `members` members, with the rows between them that are left out; gives what they cover.
    fn take(&mut self, members: usize) -> (usize, Vec<LeftOut>) {
        let last = self.queue.drain(..members).next_back().map_or(0, |(row, _)| row);
        let mut left_out = Vec::new();
        while let Some((row, fault)) = self.unfit.pop_front_if(|(row, _)| *row < last) {
            left_out.push(LeftOut {
                row: row - self.covered,
                fault,
            });
        }
        (last + 1 - self.covered, left_out)
    }

    /// The first `members` members have this payload, or none.
    fn give(&mut self, members: usize, made: Result<Bytes, RecordFault>) {
        let (rows, left_out) = self.take(members);
        self.add(match made {
            Ok(bytes) => Packed::Payload {
                rows,
                left_out,
                bytes,
            },
            Err(fault) => Packed::Rejected {
                rows,
                left_out,
                fault,
            },
        });
    }
}

/// A value is kept for its candidate only when nothing that handles it can run out of stack.
fn bounded(value: Val) -> Result<Val, RecordFault> {
    if nesting::is_bounded(&value) {
        return Ok(value);
    }
    let cause = format!("ON EMITTING produced {}", nesting::TOO_DEEP);
    Err(RecordFault::validation(Vec::new(), cause))
}

/// `for a batch of 3 messages`.
pub(in crate::programs) fn of_batch(members: usize) -> String {
    let plural = if members == 1 { "" } else { "s" };
    format!("for a batch of {members} message{plural}")
}
