//! The records of a job, counted through its runs.

use jaq_json::Val;

use super::value::{BytesForm, Records};
use crate::encode::Rows;

/// All runs behind each other.
pub(crate) struct Lane {
    runs: Vec<Run>,
    rows: usize,
}

struct Run {
    records: Records,
    first: usize,
    snapshot_ns: i64,
}

impl Lane {
    pub(crate) fn of(rows: &[Rows]) -> Lane {
        let mut count = 0;
        let runs = rows.iter().map(|run| {
            let first = count;
            count += run.records.num_rows();
            Run {
                records: Records::of(&run.records),
                first,
                snapshot_ns: run.snapshot_ns,
            }
        });
        let runs = runs.collect();
        Lane { runs, rows: count }
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// The record in a row, and the domain time of its snapshot; `None` past the last one.
    pub(crate) fn record(&self, row: usize, bytes: BytesForm) -> Option<(Val, i64)> {
        let after = self.runs.partition_point(|run| run.first <= row);
        let run = self.runs.get(after.checked_sub(1)?)?;
        (row < self.rows).then(|| (run.records.record(row - run.first, bytes), run.snapshot_ns))
    }

    /// The domain time of a row's snapshot.
    pub(crate) fn snapshot_ns(&self, row: usize) -> i64 {
        let after = self.runs.partition_point(|run| run.first <= row);
        let run = after.checked_sub(1).and_then(|place| self.runs.get(place));
        run.map_or(0, |run| run.snapshot_ns)
    }
}

/// The first `rows_max` rows: shared, not copied.
pub(crate) fn front(rows: &[Rows], rows_max: usize) -> Vec<Rows> {
    let mut left = rows_max;
    let mut front = Vec::new();
    for run in rows {
        let count = run.records.num_rows().min(left);
        if count > 0 {
            front.push(Rows {
                records: run.records.slice(0, count),
                snapshot_ns: run.snapshot_ns,
            });
        }
        left -= count;
        if left == 0 {
            break;
        }
    }
    front
}
