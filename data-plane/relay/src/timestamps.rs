//! Domain times of rows, as runs of equal ones.

use nervix_clock::DomainTime;

/// One domain time per row, run-length encoded. Rows of one admission share one run and allocate nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timestamps {
    rows: usize,
    runs: Runs,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Runs {
    One(DomainTime),
    Many(Vec<(usize, DomainTime)>),
}

impl Timestamps {
    /// `rows` rows of the same time.
    pub fn uniform(rows: usize, time: DomainTime) -> Self {
        Self {
            rows,
            runs: Runs::One(time),
        }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The runs, as (rows, time), in row order.
    pub fn runs(&self) -> impl Iterator<Item = (usize, DomainTime)> + '_ {
        let (one, many) = match &self.runs {
            Runs::One(time) => (Some((self.rows, *time)).filter(|(rows, _)| *rows > 0), None),
            Runs::Many(runs) => (None, Some(runs.iter().copied())),
        };
        one.into_iter().chain(many.into_iter().flatten())
    }

    /// The time of row `row`.
    pub fn at(&self, row: usize) -> Option<DomainTime> {
        let mut end = 0;
        self.runs().find_map(|(rows, time)| {
            end += rows;
            (row < end).then_some(time)
        })
    }

    /// The last row of the latest time, and that time; nothing without rows.
    pub fn last_row(&self) -> Option<(usize, DomainTime)> {
        let mut end = 0;
        let mut last: Option<(usize, DomainTime)> = None;
        for (rows, time) in self.runs() {
            end += rows;
            if last.is_none_or(|(_, latest)| latest <= time) {
                last = Some((end - 1, time));
            }
        }
        last
    }

    /// Adds the rows of `other` behind its own.
    pub fn append(&mut self, other: &Self) {
        for (rows, time) in other.runs() {
            self.push(rows, time);
        }
    }

    /// The times of `rows` rows from row `first` on, as many as there are.
    pub fn slice(&self, first: usize, rows: usize) -> Self {
        let end = first.saturating_add(rows);
        let mut sliced = Self::uniform(0, DomainTime::default());
        let mut at = 0;
        for (run, time) in self.runs() {
            let from = at.max(first);
            let to = (at + run).min(end);
            at += run;
            sliced.push(to.saturating_sub(from), time);
        }
        sliced
    }

    /// The times of the rows that `keep` says true of, asked in row order.
    pub fn filter_by(&self, mut keep: impl FnMut(usize) -> bool) -> Self {
        let mut kept = Self::uniform(0, DomainTime::default());
        let mut at = 0;
        for (run, time) in self.runs() {
            let rows = (at..at + run).filter(|row| keep(*row)).count();
            at += run;
            kept.push(rows, time);
        }
        kept
    }

    fn push(&mut self, rows: usize, time: DomainTime) {
        if rows == 0 {
            return;
        }
        match &mut self.runs {
            Runs::One(known) if *known == time => {}
            Runs::One(known) if self.rows == 0 => *known = time,
            Runs::One(known) => self.runs = Runs::Many(vec![(self.rows, *known), (rows, time)]),
            Runs::Many(runs) => match runs.last_mut() {
                Some((last, known)) if *known == time => *last += rows,
                _ => runs.push((rows, time)),
            },
        }
        self.rows += rows;
    }
}

#[cfg(test)]
mod tests;
