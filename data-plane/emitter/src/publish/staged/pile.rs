//! What is staged and not committed: members, in the order in which they were staged.
//!
//! Invariant: a row that the table cannot hold leaves at once, and is in no commit. The rows themselves are with the sink;
//! they stay here only where an error route reads them.

use std::collections::VecDeque;

use nervix_sink::RefusedRow;

use crate::carrier::{Carrier, Members};
use crate::plan::Plan;
use crate::publish::lane_book::LaneBook;
use crate::publish::turn::Turn;
use crate::taking::Taking;

/// Staged members.
#[derive(Default)]
pub(super) struct Pile {
    /// Neighbours are of different lanes.
    members: Vec<Members>,
    batches: usize,
    bytes: u64,
}

impl Pile {
    /// Adds what was staged as one batch of `bytes`, but for the rows that were refused.
    pub(super) fn add(
        &mut self,
        (carriers, bytes): (VecDeque<Carrier>, u64),
        mut refused: Vec<RefusedRow>,
        (plan, lanes): (&Plan, &mut LaneBook),
        turn: &mut Turn<'_>,
    ) {
        refused.sort_by_key(|refused| refused.row);
        refused.dedup_by_key(|refused| refused.row);
        let mut refused = refused.into_iter().peekable();
        let keep_records = plan.policy.reads_partial();
        let (mut at, mut is_staged) = (0, false);
        for carrier in carriers {
            let rows = carrier.rows();
            let mut carrier = VecDeque::from([carrier]);
            let mut taking = Taking::new(&mut carrier, keep_records);
            let mut taken = 0;
            while let Some(alone) = refused.next_if(|refused| refused.row < at + rows) {
                let before = alone.row - at - taken;
                is_staged |= self.push(&mut taking, before, lanes, plan);
                if let Some(members) = taking.take(1) {
                    turn.rejected(members, &plan.rejected, alone.rejection.message.as_str());
                }
                taken += before + 1;
            }
            is_staged |= self.push(&mut taking, rows - taken, lanes, plan);
            at += rows;
        }
        if is_staged {
            self.batches += 1;
            self.bytes = self.bytes.saturating_add(bytes);
        }
    }

    /// Adds the next `rows` rows. False when that is none.
    fn push(&mut self, taking: &mut Taking<'_>, rows: usize, lanes: &mut LaneBook, plan: &Plan) -> bool {
        let Some(mut members) = (rows > 0).then(|| taking.take(rows)).flatten() else {
            return false;
        };
        members.lighten();
        match self.members.last_mut() {
            Some(last) if last.lane == members.lane => last.append(members),
            _ => {
                lanes.enter(&members.lane, plan);
                self.members.push(members);
            }
        }
        true
    }

    /// All of it.
    pub(super) fn take(&mut self) -> Vec<Members> {
        std::mem::take(self).members
    }

    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// How many batches were staged.
    pub(super) fn batches(&self) -> usize {
        self.batches
    }

    /// Bytes that COMMIT ... MAX SIZE counts.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }
}
