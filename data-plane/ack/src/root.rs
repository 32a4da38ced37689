//! One batch of a writer: how many row paths are open, the fates that are not done, and who hears the end.
//!
//! Invariant: `open` counts (row, path) pairs. It is raised only by the holder of an open path, so it never
//! leaves zero again; whoever lowers it to zero resolves the root, which therefore happens exactly once.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::fate::{Fate, Reason, Verdict};
use crate::rows::Rows;
use crate::sync::{AtomicU64, Lock, Ordering};

type OnResolved = Box<dyn FnOnce(Verdict) + Send>;

pub(crate) struct Root {
    rows: u32,
    open: AtomicU64,
    ledger: Lock<Ledger>,
}

/// The fates so far. `floor` holds for all rows; `by_row` exists from the first time that rows differ.
struct Ledger {
    floor: Fate,
    by_row: Box<[Fate]>,
    reason: Option<(Fate, Reason)>,
    on_resolved: Option<OnResolved>,
}

impl Root {
    /// A root of `rows` rows (at least one) with one open path each.
    pub(crate) fn new(rows: u32, on_resolved: OnResolved) -> Self {
        Self {
            rows,
            open: AtomicU64::new(u64::from(rows)),
            ledger: Lock::new(Ledger {
                floor: Fate::Done,
                by_row: Box::default(),
                reason: None,
                on_resolved: Some(on_resolved),
            }),
        }
    }

    /// Opens one more path for `count` rows. The caller holds an open path of each of them.
    pub(crate) fn fork(&self, count: usize) {
        // Relaxed is enough: the caller's own open path keeps the count above zero meanwhile.
        self.open.fetch_add(count as u64, Ordering::Relaxed);
    }

    /// Closes one path of each of `rows` with `fate`.
    pub(crate) fn settle(&self, rows: &Rows, fate: Fate, reason: Option<Reason>) {
        let count = rows.len() as u64;
        if count == 0 {
            return;
        }
        if fate != Fate::Done {
            self.ledger
                .with(|ledger| ledger.worsen(self.rows, rows, fate, reason));
        }
        // Release publishes the ledger entry above to whoever takes the count to zero; acquire shows that
        // one all entries of the others.
        if self.open.fetch_sub(count, Ordering::AcqRel) == count {
            self.resolve();
        }
    }

    fn resolve(&self) {
        let (verdict, on_resolved) = self
            .ledger
            .with(|ledger| (ledger.verdict(self.rows), ledger.on_resolved.take()));
        if let Some(on_resolved) = on_resolved {
            // The listener belongs to another task than the one that happens to settle last: its panic must
            // neither end that task nor keep the other roots of a share from resolving.
            drop(catch_unwind(AssertUnwindSafe(|| on_resolved(verdict))));
        }
    }
}

impl Ledger {
    fn worsen(&mut self, total: u32, rows: &Rows, fate: Fate, reason: Option<Reason>) {
        if let Some(reason) = reason
            && self.reason.as_ref().is_none_or(|(known, _)| *known < fate)
        {
            self.reason = Some((fate, reason));
        }
        if fate <= self.floor {
            return;
        }
        if rows.len() == total as usize {
            self.floor = fate;
            return;
        }
        if self.by_row.is_empty() {
            self.by_row = vec![Fate::Done; total as usize].into_boxed_slice();
        }
        for at in 0..rows.len() {
            if let Some(known) = self.by_row.get_mut(rows.row(at) as usize) {
                *known = fate.max(*known);
            }
        }
    }

    fn verdict(&mut self, rows: u32) -> Verdict {
        let by_row = std::mem::take(&mut self.by_row);
        let mut verdict = if by_row.is_empty() {
            Verdict::uniform(rows, self.floor, None)
        } else {
            let mut verdict = Verdict {
                rows,
                ..Verdict::default()
            };
            for fate in by_row {
                match fate.max(self.floor) {
                    Fate::Done => verdict.done += 1,
                    Fate::Refused => verdict.refused += 1,
                    Fate::Unresolved => verdict.unresolved += 1,
                }
            }
            verdict
        };
        verdict.reason = match self.reason.take() {
            Some((fate, reason)) if fate == verdict.worst() => Some(reason),
            _ => None,
        };
        verdict
    }
}
