//! What was written in a storm, and that each of its members is settled once.

use crate::stage::{Stage, Written};

/// The writes of one storm.
#[derive(Default)]
pub(crate) struct Ledger {
    written: Vec<(Written, usize)>,
    settled: usize,
}

impl Ledger {
    /// A batch of so many rows was written.
    pub(crate) fn wrote(&mut self, written: Written, rows: usize) {
        self.written.push((written, rows));
    }

    /// Takes the verdicts that came; what is not settled is pending.
    pub(crate) fn check(&mut self, stage: &Stage) {
        self.written.retain(|(written, rows)| {
            let Some(verdict) = written.verdict() else {
                return true;
            };
            assert_eq!(verdict.done as usize, *rows, "nothing is refused or unresolved");
            self.settled += rows;
            false
        });
        let status = stage.handle.status();
        let counters = &status.counters;
        let accounted = counters.sent.messages + counters.rejected_messages() + status.pending.messages;
        assert_eq!(
            counters.received.messages, accounted,
            "each member is settled once"
        );
    }

    /// Whether every write has its verdict.
    pub(crate) fn is_settled(&self) -> bool {
        self.written.is_empty()
    }

    /// `rows` were written in all, all of them are settled, and nothing is held.
    pub(crate) fn close(&self, stage: &Stage, rows: i64) {
        assert!(self.is_settled(), "everything is resolved");
        assert_eq!(self.settled as i64, rows);
        let pending = stage.handle.status().pending;
        assert_eq!(
            (pending.messages, pending.retained_batches, pending.lanes),
            (0, 0, 0)
        );
        assert_eq!(stage.budget.used(), 0);
    }
}
