//! A carrier: finished records of one relay batch on their way into payloads, and the members of a payload.
//!
//! Invariants: row i of a carrier's share, records and input is one source record; a carrier is split, moved and
//! consumed, never cloned, so that every member ends in exactly one settlement. Source rows and finished records are
//! kept beyond encoding only where the error route reads them.

use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use nervix_ack::Share;
use nervix_budget::Held;
use nervix_clock::{PhysicalInstant, Snapshot};

use crate::admit::{Admission, compacted};
use crate::dependencies::Bound;
use crate::lane::LaneKey;

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

    /// Cuts the first `rows` rows off; fewer than it has.
    pub(crate) fn split_to(&mut self, rows: usize) -> Self {
        let rest = self.rows() - rows;
        let part = |whole: u64| whole * rows as u64 / (rows + rest).max(1) as u64;
        let (bytes, load) = (part(self.bytes), part(self.load.bytes()));
        let front = Self {
            lane: self.lane.clone(),
            records: self.records.slice(0, rows),
            input: self.input.as_ref().map(|input| input.slice(0, rows)),
            share: self.share.split_to(rows),
            snapshot: self.snapshot.clone(),
            bound: self.bound.clone(),
            at: self.at,
            bytes,
            holding: self.holding.clone(),
            load: self.load.split(load),
        };
        self.records = self.records.slice(rows, rest);
        self.input = self.input.take().map(|input| input.slice(rows, rest));
        self.bytes -= bytes;
        front
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

    /// Becomes a member span of a payload: what only an error route reads is kept where one does.
    pub(crate) fn into_span(self, keep_records: bool) -> (Share, Held, Span) {
        let holding = (keep_records || self.input.is_some()).then_some(self.holding);
        let span = Span {
            rows: self.records.num_rows(),
            records: keep_records.then_some(self.records),
            input: self.input,
            snapshot: self.snapshot,
            bound: self.bound,
            _holding: holding,
        };
        (self.share, self.load, span)
    }
}

/// Members of one payload that came in one carrier.
pub(crate) struct Span {
    pub(crate) rows: usize,
    pub(crate) input: Option<RecordBatch>,
    pub(crate) records: Option<RecordBatch>,
    pub(crate) snapshot: Arc<Snapshot>,
    pub(crate) bound: Bound,
    _holding: Option<Arc<Holding>>,
}

/// All members of one payload, in order.
pub(crate) struct Members {
    pub(crate) lane: LaneKey,
    pub(crate) share: Share,
    pub(crate) spans: Vec<Span>,
    /// Admission of the oldest member.
    pub(crate) at: PhysicalInstant,
    /// Logical bytes of the finished records.
    pub(crate) bytes: u64,
    pub(crate) load: Vec<Held>,
}

impl Members {
    /// The members of carriers of one lane, in order; none without a carrier.
    pub(crate) fn of(carriers: Vec<Carrier>, keep_records: bool) -> Option<Self> {
        let first = carriers.first()?;
        let mut members = Self {
            lane: first.lane.clone(),
            share: Share::default(),
            spans: Vec::with_capacity(carriers.len()),
            at: first.at,
            bytes: 0,
            load: Vec::with_capacity(carriers.len()),
        };
        for carrier in carriers {
            members.at = members.at.min(carrier.at);
            members.bytes += carrier.bytes;
            let (share, load, span) = carrier.into_span(keep_records);
            members.share.append(share);
            members.load.push(load);
            members.spans.push(span);
        }
        Some(members)
    }

    pub(crate) fn rows(&self) -> usize {
        self.share.len()
    }
}
