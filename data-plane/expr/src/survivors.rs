//! The rows of a frame that are still in it: no step has failed them, and no WHERE has dropped them.
//!
//! Invariant: a row fails at most once, since a step looks only at rows that are still in.

use arrow::buffer::BooleanBuffer;

use crate::failure::Failure;
use crate::predicate::failed_mask;

/// Rows under way.
pub(crate) struct Survivors {
    rows: usize,
    /// `None`: all.
    alive: Option<BooleanBuffer>,
    failures: Vec<Failure>,
}

impl Survivors {
    /// Those that `among` names; `None`: every row.
    pub(crate) fn new(rows: usize, among: Option<&BooleanBuffer>) -> Self {
        Self {
            rows,
            alive: among.cloned(),
            failures: Vec::new(),
        }
    }

    /// How many rows the frame has.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// The rows that are still in; `None`: all.
    pub(crate) fn mask(&self) -> Option<&BooleanBuffer> {
        self.alive.as_ref()
    }

    pub(crate) fn lives(&self, row: usize) -> bool {
        self.alive.as_ref().is_none_or(|alive| alive.value(row))
    }

    /// Takes rows out, and says which; `None` when there are none.
    pub(crate) fn fail(&mut self, failures: Vec<Failure>) -> Option<BooleanBuffer> {
        if failures.is_empty() {
            return None;
        }
        let failed = failed_mask(&failures, self.rows);
        let lives = !&failed;
        self.alive = Some(match &self.alive {
            None => lives,
            Some(alive) => alive & &lives,
        });
        self.failures.extend(failures);
        Some(failed)
    }

    /// Leaves only these, which are all in.
    pub(crate) fn keep(&mut self, keep: BooleanBuffer) {
        if keep.count_set_bits() < self.rows {
            self.alive = Some(keep);
        }
    }

    /// The failures in the order in which they were found.
    pub(crate) fn failures(&self) -> &[Failure] {
        &self.failures
    }

    /// The rows that are still in, `None` for all, and the failures by row.
    pub(crate) fn finish(mut self) -> (Option<BooleanBuffer>, Vec<Failure>) {
        self.failures.sort_by_key(|failure| failure.row);
        (self.alive, self.failures)
    }
}
