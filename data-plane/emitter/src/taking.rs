//! Taking members from the front of what waits, payload by payload.
//!
//! Invariant: rows leave in order and once. The columns of the carrier at the front are cut once, when the taking ends,
//! however many payloads were made of it.

use std::collections::VecDeque;

use crate::carrier::{Carrier, Members};

/// One taking.
pub(crate) struct Taking<'a> {
    waiting: &'a mut VecDeque<Carrier>,
    /// Rows of the first carrier whose members were taken.
    taken: usize,
    keep_records: bool,
}

impl<'a> Taking<'a> {
    /// Begins at the front; what waits is of one lane as far as it will be taken. Finished records stay with their members
    /// where an error route reads them.
    pub(crate) fn new(waiting: &'a mut VecDeque<Carrier>, keep_records: bool) -> Self {
        Self {
            waiting,
            taken: 0,
            keep_records,
        }
    }

    /// The members of the next `rows` rows; fewer where fewer wait, none where none does.
    pub(crate) fn take(&mut self, rows: usize) -> Option<Members> {
        let first = self.waiting.front()?;
        let mut members = Members::none(first.lane.clone(), first.at);
        self.extend(&mut members, rows);
        Some(members)
    }

    /// Adds the next `rows` rows to members of the same lane.
    pub(crate) fn extend(&mut self, members: &mut Members, rows: usize) {
        let mut rest = rows;
        while rest > 0 {
            let Some(front) = self.waiting.front_mut() else {
                return;
            };
            let here = rest.min(front.rows() - self.taken);
            members.push(front.take(self.taken, here, self.keep_records));
            rest -= here;
            self.taken += here;
            if self.taken == front.rows() {
                self.waiting.pop_front();
                self.taken = 0;
            }
        }
    }
}

impl Drop for Taking<'_> {
    fn drop(&mut self) {
        if self.taken > 0
            && let Some(front) = self.waiting.front_mut()
        {
            front.cut(self.taken);
        }
    }
}
