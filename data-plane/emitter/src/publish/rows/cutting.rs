//! Cutting: from the front of the flush under way to a write with its members (`emitters.txt`, Database writes).
//!
//! A candidate has as many rows as may be written together. One that measures too much is halved, and its first half is
//! looked at again, while the rest returns to the front of the next candidate. Since measures add up, each row is measured
//! once, however often a candidate is halved.
//!
//! Invariants: what is written together is of one source relay and one concrete branch, and consecutive; a write never
//! measures more than its limit; a row whose own write would follows ON MESSAGE ERROR and the rows around it are written.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use nervix_columns::{concat, held_bytes};
use nervix_expr::FailureSite;
use nervix_sink::{Measure, RowSink, Rows, WriteLimits};
use nspl_model::SizeText;
use nspl_model::record_error::{ErrorCode, Operation};

use super::RowDriver;
use super::write::{Kept, Write};
use crate::carrier::Carrier;
use crate::publish::turn::Turn;
use crate::taking::Taking;

/// What the rows at the front of a flush measure; empty again before the front is of another lane.
#[derive(Debug, Default)]
pub(super) struct Measured {
    write_bytes: u64,
    row_bytes: VecDeque<u64>,
    /// The edition of the sink's measures that these are of.
    edition: u64,
}

/// What becomes of the front of a flush.
enum Candidate {
    /// So many rows may be written together.
    Fits { rows: usize },
    /// The first row alone measures so much.
    TooLarge { bytes: u64 },
}

impl Measured {
    /// Measures the first `rows` rows of the front, as far as that was not done yet.
    fn cover(&mut self, flush: &VecDeque<Carrier>, rows: usize, sink: &dyn RowSink) {
        if self.edition != sink.edition() {
            self.edition = sink.edition();
            self.row_bytes.clear();
        }
        let mut skip = self.row_bytes.len();
        for carrier in flush {
            let missing = rows.saturating_sub(self.row_bytes.len());
            if missing == 0 {
                return;
            }
            let from = skip.min(carrier.rows());
            skip -= from;
            let here = missing.min(carrier.rows() - from);
            if here == 0 {
                continue;
            }
            let columns = carrier.records.slice(from, here);
            let Measure {
                write_bytes,
                row_bytes,
            } = sink.measure(&Rows {
                columns,
                isolated: false,
            });
            self.write_bytes = write_bytes;
            self.row_bytes.extend(row_bytes);
        }
    }

    /// What a write of the first `rows` rows measures.
    fn bytes(&self, rows: usize) -> u64 {
        let row_bytes = self.row_bytes.iter().take(rows);
        row_bytes.fold(self.write_bytes, |sum, bytes| sum.saturating_add(*bytes))
    }

    /// The most of the first `rows` rows that halving gives within `limit` bytes.
    fn candidate(&self, mut rows: usize, limit: u64) -> Candidate {
        loop {
            let bytes = self.bytes(rows);
            if bytes <= limit {
                return Candidate::Fits { rows };
            }
            if rows <= 1 {
                return Candidate::TooLarge { bytes };
            }
            rows = rows.div_ceil(2);
        }
    }
}

impl RowDriver {
    /// Makes the next write of the rows at the front, or rejects the first of them. False when there is nothing to cut now.
    pub(super) fn cut(&mut self, turn: &mut Turn<'_>) -> bool {
        let Some(sink) = self.outlet.connection.idle() else {
            return false;
        };
        let flush = &self.flushes.current;
        if flush.is_empty() {
            return false;
        }
        let limits = sink.limits();
        let batch = self.outlet.plan.limits;
        let (messages_max, bytes_max) =
            batch.map_or((1, u64::MAX), |batch| (batch.max_messages, batch.max_bytes));
        let rows_max = limits
            .rows_max
            .map_or(messages_max, |most| most.min(messages_max));
        let rows = front_rows(flush, rows_max.max(1) as usize);
        self.measured.cover(flush, rows, sink);
        let bound = limits.bytes_max.map_or(bytes_max, |most| most.min(bytes_max));
        match self.measured.candidate(rows, bound) {
            Candidate::Fits { rows } => self.take(rows, turn),
            Candidate::TooLarge { bytes } => self.refuse_first(bytes, bytes_max, limits, turn),
        }
        true
    }

    fn take(&mut self, mut rows: usize, turn: &mut Turn<'_>) {
        let flush = &mut self.flushes.current;
        // Rows that pass what one column holds (2 GiB of text) are fewer together; a single row is always one part.
        let joined = loop {
            match join(flush, rows, turn) {
                Some(joined) => break joined,
                None => rows = rows.div_ceil(2),
            }
        };
        let bytes = self.measured.bytes(rows);
        let members = Taking::new(flush, self.outlet.plan.policy.reads_partial()).take(rows);
        self.measured
            .row_bytes
            .drain(..rows.min(self.measured.row_bytes.len()));
        let Some(members) = members else { return };
        self.outlet.lanes.enter(&members.lane, &self.outlet.plan);
        let (id, _) = self.outlet.next_id();
        self.write = Some(Write::new(id, joined, members, bytes));
    }

    /// Rejects the first row: alone, it measures more than a limit.
    fn refuse_first(&mut self, bytes: u64, max_size: u64, limits: WriteLimits, turn: &mut Turn<'_>) {
        let flush = &mut self.flushes.current;
        let members = Taking::new(flush, self.outlet.plan.policy.reads_partial()).take(1);
        self.measured.row_bytes.pop_front();
        let Some(members) = members else { return };
        let name = limits.name;
        if bytes > max_size {
            let site = FailureSite {
                code: ErrorCode::Validation,
                operation: Operation::Encode,
                operation_index: None,
                fields: Vec::new(),
            };
            let limit = SizeText(max_size);
            let message = format!("{name} of one row measures {bytes} bytes, above MAX SIZE {limit}");
            turn.rejected(members, &Arc::new(site), message);
        } else {
            let limit = limits.bytes_max.unwrap_or(u64::MAX);
            let message = format!(
                "{name} of one row measures {bytes} bytes, above the {limit} bytes that the destination takes"
            );
            turn.rejected(members, &self.outlet.plan.rejected, message);
        }
    }
}

/// How many rows at the front are of one lane, `most` at most.
fn front_rows(flush: &VecDeque<Carrier>, most: usize) -> usize {
    let Some(first) = flush.front() else { return 0 };
    let mut rows = 0;
    for carrier in flush {
        if carrier.lane != first.lane || rows >= most {
            break;
        }
        rows += carrier.rows();
    }
    rows.min(most)
}

/// The first `rows` rows as one batch: a part of the first carrier, or a copy of parts of several. None when a column cannot
/// hold them together.
fn join(flush: &VecDeque<Carrier>, rows: usize, turn: &Turn<'_>) -> Option<(RecordBatch, Kept)> {
    let first = flush.front()?;
    if rows <= first.rows() {
        let part = first.records.slice(0, rows);
        return Some((part, Kept::Part(Arc::clone(&first.holding))));
    }
    let mut parts = Vec::new();
    let mut rest = rows;
    for carrier in flush {
        let here = rest.min(carrier.rows());
        parts.push(carrier.records.slice(0, here));
        rest -= here;
        if rest == 0 {
            break;
        }
    }
    let copy = concat(&parts).ok()?;
    let held = turn.admission.charge(held_bytes(&copy));
    Some((copy, Kept::Copy(held)))
}
