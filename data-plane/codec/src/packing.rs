//! Packing members whose sizes add up (`emitters.txt`, Batch payloads).
//!
//! The groups are those of the specification's halving: a candidate is all that waits, at most MAX MESSAGES, and one that is
//! too large gives way to its first half. Since a container adds to its members what their number alone decides, a member
//! is encoded once, up to the first byte that the candidate has no room for, and the halving is done on sums.
//!
//! A large payload leaves in the memory in which its members were encoded.
//!
//! Invariants: the results cover a prefix of the rows in order; no payload passes MAX SIZE; what is encoded and not yet
//! taken is at most one MAX SIZE.

use std::collections::VecDeque;
use std::ops::Range;

use bytes::Bytes;
use nspl_model::{BatchLimits, SizeText};

use crate::bounded::{BoundedWriter, Full};
use crate::container::Container;
use crate::encode::{LeftOut, Packed};
use crate::fault::RecordFault;
use crate::pack::{Encoding, Front, pack};
use crate::results::{Enough, Results};

#[cfg(test)]
mod tests;

/// Members after which the length of a candidate is guessed, so that its memory hardly ever has to grow.
const SAMPLE_MEMBERS: usize = 64;

/// Bytes from which on a payload is given away with its memory; a smaller one is sooner copied than the writer gets new
/// memory.
const GIVEN_BYTES_MIN: usize = 256 << 10;

/// The records of one lane, as a format writes them.
pub(crate) trait Members {
    /// How many records wait.
    fn rows(&self) -> usize;
    /// Why a record cannot be a member. It is asked once of each record, in order, before [`Members::write`].
    fn fault(&mut self, row: usize) -> Option<RecordFault>;
    /// Writes the member's value. What was written before [`Full`] is taken back by the caller.
    fn write(&mut self, row: usize, out: &mut BoundedWriter) -> Result<(), Full>;
}

/// Every record a payload of its own.
pub(crate) fn pack_singly(members: &mut impl Members, enough: Enough) -> Vec<Packed> {
    let mut out = BoundedWriter::boundless();
    let mut results = Results::new(enough);
    for row in 0..members.rows() {
        if !results.wants_more() {
            break;
        }
        if let Some(fault) = members.fault(row) {
            results.push(Packed::rejected(fault));
            continue;
        }
        out.truncate(0);
        // Nothing is too much for an unbounded writer.
        let _full = members.write(row, &mut out).is_err();
        results.push(Packed::Payload {
            rows: 1,
            left_out: Vec::new(),
            bytes: Bytes::copy_from_slice(out.bytes()),
        });
    }
    results.into_made()
}

/// Payloads of a container. `format` is the word for it in messages: `JSON payload exceeds MAX SIZE 32B`.
pub(crate) fn pack_batches(
    members: &mut impl Members,
    container: &dyn Container,
    limits: BatchLimits,
    format: &str,
    enough: Enough,
) -> Vec<Packed> {
    let mut lane = Lane {
        rows: members.rows(),
        members,
        container,
        messages_max: limits.max_messages as usize,
        bytes_max: usize::try_from(limits.max_bytes).unwrap_or(usize::MAX),
        queue: VecDeque::new(),
        encoded: 0,
        out: BoundedWriter::default(),
        front: 0,
        unfit: VecDeque::new(),
        judged: 0,
        covered: 0,
    };
    let mut results = Results::new(enough);
    while results.wants_more() {
        let Some(packed) = lane.next(limits, format) else {
            break;
        };
        lane.covered += packed.rows();
        results.push(packed);
    }
    results.into_made()
}

/// A record that can be a member.
struct Member {
    row: usize,
    /// Where it stands in what is written; empty until it is encoded.
    bytes: Range<usize>,
}

struct Lane<'a, M> {
    members: &'a mut M,
    rows: usize,
    container: &'a dyn Container,
    messages_max: usize,
    bytes_max: usize,
    /// What can be members of the next payloads, at most MAX MESSAGES.
    queue: VecDeque<Member>,
    /// How many at the front of the queue are encoded.
    encoded: usize,
    /// The encoded members behind each other, with what belongs between them.
    out: BoundedWriter,
    /// Where the first of them stands when none was taken before: behind room for the head of a payload.
    front: usize,
    /// Records that cannot be members and are not in a result yet.
    unfit: VecDeque<(usize, RecordFault)>,
    /// How many records were asked for their fault.
    judged: usize,
    /// How many records are in results.
    covered: usize,
}

impl<M: Members> Lane<'_, M> {
    fn next(&mut self, limits: BatchLimits, format: &str) -> Option<Packed> {
        self.judge();
        let first = self.queue.front().map_or(self.rows, |member| member.row);
        if let Some((_, fault)) = self.unfit.pop_front_if(|(row, _)| *row < first) {
            return Some(Packed::rejected(fault));
        }
        if self.queue.is_empty() {
            return None;
        }
        let fits = self.encode();
        let front = pack(self.queue.len(), limits.max_messages, |members| {
            if members <= fits {
                Encoding::Fits(())
            } else {
                Encoding::TooLarge
            }
        });
        Some(match front {
            Front::Payload { rows, .. } => self.take(rows),
            Front::RowTooLarge => {
                self.queue.pop_front();
                let limit = SizeText(limits.max_bytes);
                let cause = format!("{format} payload exceeds MAX SIZE {limit}");
                Packed::rejected(RecordFault::validation(Vec::new(), cause))
            }
        })
    }

    /// Fills the queue up to a candidate.
    fn judge(&mut self) {
        while self.queue.len() < self.messages_max && self.judged < self.rows {
            let row = self.judged;
            self.judged += 1;
            match self.members.fault(row) {
                Some(fault) => self.unfit.push_back((row, fault)),
                None => self.queue.push_back(Member { row, bytes: 0..0 }),
            }
        }
    }

    /// Encodes the queue as far as one payload has room; gives how many of its members fit together.
    fn encode(&mut self) -> usize {
        if self.encoded == 0 {
            self.begin();
        }
        let front = self.queue.front().filter(|_| self.encoded > 0);
        let start = front.map_or(self.front, |member| member.bytes.start);
        while let Some(member) = self.queue.get_mut(self.encoded) {
            let members = self.encoded + 1;
            let around = self.container.head_len(members) + self.container.tail().len();
            let end = self.out.len();
            let within = if self.encoded == 0 { 0 } else { end - start };
            let Some(room) = self.bytes_max.checked_sub(around + within) else {
                break;
            };
            self.out.allow(room);
            let between = if self.encoded == 0 {
                b""
            } else {
                self.container.between()
            };
            let written = self.out.write(between);
            let written = written.and_then(|()| self.members.write(member.row, &mut self.out));
            if written.is_err() {
                self.out.truncate(end);
                break;
            }
            member.bytes = end + between.len()..self.out.len();
            self.encoded = members;
            if members == SAMPLE_MEMBERS {
                let each = (self.out.len() - start) / SAMPLE_MEMBERS + 1;
                let rest = each.saturating_mul(self.queue.len() - members);
                self.out.reserve(rest.saturating_add(rest / 8));
            }
        }
        self.encoded
    }

    /// Leaves room for the head that all that waits would have; that of fewer members is no longer.
    fn begin(&mut self) {
        let head = self.container.head(self.queue.len());
        self.front = head.len();
        self.out.truncate(0);
        self.out.allow(head.len());
        // It is what was just allowed.
        let _full = self.out.write(&head).is_err();
    }

    /// The payload of the first `members` members.
    fn take(&mut self, members: usize) -> Packed {
        let taken = || self.queue.iter().take(members);
        let start = taken().next().map_or(0, |member| member.bytes.start);
        let (end, last) = taken()
            .next_back()
            .map_or((0, 0), |member| (member.bytes.end, member.row));
        let whole = members == self.encoded && start == self.front;
        let bytes = if whole && end - start >= GIVEN_BYTES_MIN {
            self.give(members)
        } else {
            let written = self.out.bytes().get(start..end).unwrap_or_default();
            Bytes::from(self.container.payload(members, written))
        };
        self.queue.drain(..members);
        self.encoded -= members;
        self.clear(end);
        let mut left_out = Vec::new();
        while let Some((row, fault)) = self.unfit.pop_front_if(|(row, _)| *row < last) {
            left_out.push(LeftOut {
                row: row - self.covered,
                fault,
            });
        }
        Packed::Payload {
            rows: last + 1 - self.covered,
            left_out,
            bytes,
        }
    }

    /// The payload of all that is encoded, in the memory that it is in.
    fn give(&mut self, members: usize) -> Bytes {
        let head = self.container.head(members);
        let begin = self.front.saturating_sub(head.len());
        let mut payload = self.out.take();
        for (place, byte) in payload.iter_mut().skip(begin).zip(&head) {
            *place = *byte;
        }
        payload.extend_from_slice(self.container.tail());
        payload.shrink_to_fit();
        Bytes::from(payload).slice(begin..)
    }

    /// Forgets what was written up to `end` where that moves less than it frees.
    fn clear(&mut self, end: usize) {
        if self.encoded == 0 {
            self.out.truncate(0);
        } else if end >= self.out.len() - end {
            self.out.forget(end);
            for member in self.queue.iter_mut().take(self.encoded) {
                member.bytes = member.bytes.start - end..member.bytes.end - end;
            }
        }
    }
}
