//! A carrier: finished records of one relay batch on their way into payloads, and the members of a payload.
//!
//! Invariants: row i of a carrier's share, records and input is one source record; a carrier is split, moved and
//! consumed, never cloned, so that every member ends in exactly one settlement. Source rows and finished records are
//! kept beyond encoding only where the error route reads them.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow::buffer::BooleanBuffer;
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;
use nervix_ack::Share;
use nervix_budget::Held;
use nervix_clock::{PhysicalInstant, Snapshot};
use nervix_columns::{filter, held_bytes_together, logical_bytes};

use crate::admit::{Admission, BATCH_OVERHEAD_BYTES, compacted};
use crate::dependencies::Bound;
use crate::lane::LaneKey;
use crate::written::Written;

/// The part of the node's byte budget that rows keep occupied: what they share with the relay batch, and their own.
pub(crate) struct Holding {
    pub(crate) _parent: Option<Arc<Held>>,
    pub(crate) _own: Held,
}

/// Finished records of one lane.
pub(crate) struct Carrier {
    pub(crate) lane: LaneKey,
    /// In the exact output schema.
    pub(crate) records: RecordBatch,
    /// The source rows, where the error route reads them.
    pub(crate) input: Option<RecordBatch>,
    pub(crate) share: Share,
    /// The headers that they wrote.
    pub(crate) written: Written,
    pub(crate) snapshot: Arc<Snapshot>,
    pub(crate) bound: Bound,
    pub(crate) at: PhysicalInstant,
    /// Logical bytes of `records`.
    pub(crate) bytes: u64,
    pub(crate) holding: Arc<Holding>,
    pub(crate) load: Held,
}

impl Carrier {
    pub(crate) fn rows(&self) -> usize {
        self.records.num_rows()
    }

    /// The first `rows` rows of those from `taken` on, as members; the columns stay as they are until [`Carrier::cut`].
    pub(crate) fn take(&mut self, taken: usize, rows: usize, keep_records: bool) -> Part {
        let left = (self.rows() - taken).max(1) as u64;
        let part = |whole: u64| whole * rows as u64 / left;
        let (bytes, load) = (part(self.bytes), part(self.load.bytes()));
        self.bytes -= bytes;
        Part {
            at: self.at,
            bytes,
            share: self.share.split_to(rows),
            load: self.load.split(load),
            span: Span {
                rows,
                records: keep_records.then(|| self.records.slice(taken, rows)),
                input: self.input.as_ref().map(|input| input.slice(taken, rows)),
                snapshot: self.snapshot.clone(),
                bound: self.bound.clone(),
                holding: (keep_records || self.input.is_some()).then(|| self.holding.clone()),
            },
        }
    }

    /// Lets go of the first `rows` rows, whose members were taken.
    pub(crate) fn cut(&mut self, rows: usize) {
        let rest = self.rows() - rows;
        self.records = self.records.slice(rows, rest);
        self.input = self.input.take().map(|input| input.slice(rows, rest));
        self.written.split_to(rows);
    }

    /// Keeps the rows that `kept` names and gives the share of the others. What is kept is a copy.
    pub(crate) fn keep_rows(
        &mut self,
        kept: &BooleanBuffer,
        admission: &Admission,
    ) -> Result<Share, ArrowError> {
        self.records = filter(&self.records, kept)?;
        self.input = self.input.as_ref().map(|input| filter(input, kept)).transpose()?;
        let (share, others) = std::mem::take(&mut self.share).filter_by(|row| kept.value(row));
        self.share = share;
        self.bytes = logical_bytes(&self.records);
        self.load = admission.load(self.bytes);
        let own = held_bytes_together(self.input.iter().chain([&self.records]));
        self.holding = Arc::new(Holding {
            _parent: None,
            _own: admission.charge(own),
        });
        Ok(others)
    }

    /// Notes the headers that its rows wrote, and what they occupy.
    pub(crate) fn write(&mut self, written: Written, admission: &Admission) {
        self.load = admission.load(self.bytes + written.size_bytes());
        self.written = written;
    }

    /// Copies a small slice out of a large parent before it is kept for long (design section 6).
    pub(crate) fn keep(&mut self, admission: &Admission) {
        let Some((records, mut bytes)) = compacted(&self.records) else {
            return;
        };
        if let Some(input) = &self.input {
            let Some((input, input_bytes)) = compacted(input) else {
                return;
            };
            self.input = Some(input);
            bytes += input_bytes;
        }
        self.records = records;
        self.holding = Arc::new(Holding {
            _parent: None,
            _own: admission.charge(bytes),
        });
    }
}

/// Rows of one carrier that became members.
pub(crate) struct Part {
    at: PhysicalInstant,
    bytes: u64,
    share: Share,
    load: Held,
    span: Span,
}

/// Members of one payload that came in one carrier.
pub(crate) struct Span {
    pub(crate) rows: usize,
    pub(crate) input: Option<RecordBatch>,
    pub(crate) records: Option<RecordBatch>,
    pub(crate) snapshot: Arc<Snapshot>,
    pub(crate) bound: Bound,
    holding: Option<Arc<Holding>>,
}

impl Span {
    /// Cuts off and returns the first `rows` rows, of which it has more.
    fn split_to(&mut self, rows: usize) -> Self {
        let rest = self.rows - rows;
        let front = |batch: &RecordBatch| batch.slice(0, rows);
        let cut = Self {
            rows,
            input: self.input.as_ref().map(front),
            records: self.records.as_ref().map(front),
            snapshot: self.snapshot.clone(),
            bound: self.bound.clone(),
            holding: self.holding.clone(),
        };
        let back = |batch: RecordBatch| batch.slice(rows, rest);
        self.rows = rest;
        self.input = self.input.take().map(back);
        self.records = self.records.take().map(back);
        cut
    }
}

/// All members of one payload, in order.
pub(crate) struct Members {
    pub(crate) lane: LaneKey,
    pub(crate) share: Share,
    pub(crate) spans: VecDeque<Span>,
    /// Admission of the oldest member.
    pub(crate) at: PhysicalInstant,
    /// Logical bytes of the finished records.
    pub(crate) bytes: u64,
    pub(crate) load: VecDeque<Held>,
}

impl Members {
    /// No members of a lane yet.
    pub(crate) fn none(lane: LaneKey, at: PhysicalInstant) -> Self {
        Self {
            lane,
            share: Share::default(),
            spans: VecDeque::new(),
            at,
            bytes: 0,
            load: VecDeque::new(),
        }
    }

    /// Adds rows of a carrier of the same lane behind the others.
    pub(crate) fn push(&mut self, part: Part) {
        self.at = self.at.min(part.at);
        self.bytes += part.bytes;
        self.share.append(part.share);
        self.load.push_back(part.load);
        self.spans.push_back(part.span);
    }

    /// Cuts off and returns the first `rows` rows, all of them when there are fewer.
    pub(crate) fn split_to(&mut self, rows: usize) -> Self {
        let mut front = Self::none(self.lane.clone(), self.at);
        let left = self.rows().max(1) as u64;
        front.bytes = self.bytes * (rows as u64).min(left) / left;
        self.bytes -= front.bytes;
        front.share = self.share.split_to(rows);
        let mut rest = rows;
        while rest > 0 {
            if let Some(span) = self.spans.pop_front_if(|span| span.rows <= rest) {
                rest -= span.rows;
                front.spans.push_back(span);
                front.load.extend(self.load.pop_front());
                continue;
            }
            let (Some(span), Some(load)) = (self.spans.front_mut(), self.load.front_mut()) else {
                break;
            };
            let part = load.bytes() * rest as u64 / span.rows.max(1) as u64;
            front.load.push_back(load.split(part));
            front.spans.push_back(span.split_to(rest));
            rest = 0;
        }
        front
    }

    /// Adds members of the same lane behind the others.
    pub(crate) fn append(&mut self, other: Self) {
        self.at = self.at.min(other.at);
        self.bytes += other.bytes;
        self.share.append(other.share);
        self.load.extend(other.load);
        self.spans.extend(other.spans);
    }

    /// Their rows are elsewhere: from now on they count as read ahead for their overhead alone, unless an error route keeps
    /// rows here.
    pub(crate) fn lighten(&mut self) {
        let keeps = |span: &Span| span.records.is_some() || span.input.is_some();
        if self.spans.iter().any(keeps) {
            return;
        }
        for load in &mut self.load {
            load.resize(load.bytes().min(BATCH_OVERHEAD_BYTES));
        }
    }

    pub(crate) fn rows(&self) -> usize {
        self.share.len()
    }
}
