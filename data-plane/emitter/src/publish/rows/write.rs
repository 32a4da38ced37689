//! One write with its members: whole, or row by row (`emitters.txt`, Database writes).
//!
//! Invariant: row i of the rows is member i; a row leaves when it has its outcome, together with its member, so what is left
//! is what is written again.

use std::sync::Arc;

use arrow::buffer::BooleanBuffer;
use arrow::record_batch::RecordBatch;
use nervix_budget::Held;
use nervix_expr::FailureSite;
use nervix_sink::{Failure, Outcome, PayloadId, Rows};

use crate::carrier::{Holding, Members};
use crate::lane::LaneKey;
use crate::publish::turn::Turn;

/// Rows that are written together, until each of them has its outcome.
pub(super) struct Write {
    pub(super) id: PayloadId,
    pub(super) lane: LaneKey,
    /// What it measured when it was cut.
    pub(super) bytes: u64,
    /// Its last attempt failed and the next has not begun.
    pub(super) failed: bool,
    rows: RecordBatch,
    members: Members,
    /// Its rows are written one by one.
    isolated: bool,
    /// What its rows keep occupied of the node's byte budget.
    _kept: Kept,
}

/// Rows are a part of the carrier that they came in, or a copy.
pub(super) enum Kept {
    Part(#[expect(dead_code, reason = "is kept for its drop")] Arc<Holding>),
    Copy(#[expect(dead_code, reason = "is kept for its drop")] Held),
}

impl Write {
    pub(super) fn new(
        id: PayloadId,
        (rows, kept): (RecordBatch, Kept),
        members: Members,
        bytes: u64,
    ) -> Self {
        Self {
            id,
            lane: members.lane.clone(),
            bytes,
            failed: false,
            rows,
            members,
            isolated: false,
            _kept: kept,
        }
    }

    /// The rows of the attempt that begins.
    pub(super) fn begin(&mut self) -> Rows {
        self.failed = false;
        Rows {
            columns: self.rows.slice(0, self.out()),
            isolated: self.isolated,
        }
    }

    /// How many rows an attempt carries.
    pub(super) fn out(&self) -> usize {
        let rows = self.rows.num_rows();
        if self.isolated { rows.min(1) } else { rows }
    }

    /// Whether an attempt carries a single row.
    pub(super) fn is_alone(&self) -> bool {
        self.out() == 1
    }

    /// From now on its rows are written one by one.
    pub(super) fn isolate(&mut self) {
        self.isolated = true;
    }

    /// The members of the attempt that was answered; what is left are the rows behind it.
    pub(super) fn take_answered(&mut self) -> Members {
        let answered = self.out();
        self.rows = self.rows.slice(answered, self.rows.num_rows() - answered);
        self.members.split_to(answered)
    }

    /// Whether each row has its outcome.
    pub(super) fn is_done(&self) -> bool {
        self.rows.num_rows() == 0
    }

    /// Settles the rows of an attempt that was answered row by row; those that are unresolved stay, before the rows behind
    /// the attempt. Gives a failure when there are any.
    pub(super) fn settle_each(
        &mut self,
        outcomes: Vec<Outcome>,
        site: &Arc<FailureSite>,
        turn: &mut Turn<'_>,
    ) -> Option<Failure> {
        let behind = self.rows.num_rows() - outcomes.len();
        let is_open = |outcome: &Outcome| matches!(outcome, Outcome::Unresolved(_));
        let open = outcomes.iter().map(is_open);
        let kept: BooleanBuffer = open.chain(std::iter::repeat_n(true, behind)).collect();
        let mut left = Members::none(self.lane.clone(), self.members.at);
        let mut failure: Option<Failure> = None;
        let mut outcomes = outcomes.into_iter().peekable();
        while let Some(outcome) = outcomes.next() {
            match outcome {
                Outcome::Delivered(note) => {
                    let mut rows = 1;
                    while outcomes
                        .next_if(|next| note.is_none() && *next == Outcome::DELIVERED)
                        .is_some()
                    {
                        rows += 1;
                    }
                    turn.delivered(self.members.split_to(rows), note);
                }
                Outcome::Rejected(rejection) => {
                    turn.rejected(self.members.split_to(1), site, rejection.message.as_str());
                }
                Outcome::Unresolved(found) => {
                    left.append(self.members.split_to(1));
                    let asked = found
                        .retry_after
                        .max(failure.as_ref().and_then(|one| one.retry_after));
                    failure = Some(Failure {
                        retry_after: asked,
                        ..failure.unwrap_or(found)
                    });
                }
            }
        }
        let behind = std::mem::replace(&mut self.members, left);
        self.members.append(behind);
        // A mask of the batch's own length has a result.
        if let Ok(rows) = nervix_columns::filter(&self.rows, &kept) {
            self.rows = rows;
        }
        failure
    }
}
