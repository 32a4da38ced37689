//! The records of a job, counted through its runs.

use std::ops::Range;

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

/// How many records there are.
pub(crate) fn count(rows: &[Rows]) -> usize {
    rows.iter().map(|run| run.records.num_rows()).sum()
}

/// Some of the rows: shared, not copied.
pub(crate) fn part(rows: &[Rows], part: Range<usize>) -> Vec<Rows> {
    let mut first = 0;
    let runs = rows.iter().filter_map(|run| {
        let (before, count) = (first, run.records.num_rows());
        first += count;
        let (from, to) = (part.start.max(before), part.end.min(first));
        (from < to).then(|| Rows {
            records: run.records.slice(from - before, to - from),
            snapshot_ns: run.snapshot_ns,
        })
    });
    runs.collect()
}

/// How many rows from the front have about so many bytes: whole runs, and of the last one its share.
pub(crate) fn within(rows: &[Rows], bytes: u64) -> usize {
    let (mut left, mut within) = (bytes, 0);
    for run in rows {
        let (count, size) = (
            run.records.num_rows(),
            nervix_columns::logical_bytes(&run.records),
        );
        if size > left {
            let share = u128::from(left) * count as u128 / u128::from(size);
            return within + usize::try_from(share).unwrap_or(count);
        }
        left -= size;
        within += count;
    }
    within
}
