//! What the records of a carrier wrote as headers, in runs of equal ones (`emitters.txt`, Header invocations and Batch
//! payloads: different headers seal a payload).
//!
//! Invariant: the runs together have as many rows as their carrier, in its order; neighbours differ.

use std::collections::VecDeque;

use nervix_expr::Envelopes;
use nervix_sink::{Header, Headers};

/// Headers of consecutive rows; without INVOKE one empty run that never ends.
#[derive(Debug, Clone, Default)]
pub(crate) struct Written {
    /// None: no header is written here.
    runs: Option<VecDeque<Run>>,
}

#[derive(Debug, Clone)]
struct Run {
    rows: usize,
    headers: Headers,
}

impl Written {
    /// Of the rows that have their headers, in order; `rows` is how many rows were looked at.
    pub(crate) fn of(envelopes: &Envelopes, rows: usize) -> Self {
        let has = |row: &usize| envelopes.kept.as_ref().is_none_or(|kept| kept.value(*row));
        let mut runs: VecDeque<Run> = VecDeque::new();
        let mut last: Option<usize> = None;
        for row in (0..rows).filter(has) {
            let goes_on = last.is_some_and(|last| envelopes.same(last, row));
            last = Some(row);
            match runs.back_mut().filter(|_| goes_on) {
                Some(run) => run.rows += 1,
                None => runs.push_back(Run {
                    rows: 1,
                    headers: headers(envelopes, row),
                }),
            }
        }
        Self { runs: Some(runs) }
    }

    /// What the first row wrote.
    pub(crate) fn front(&self) -> Headers {
        let front = self.runs.as_ref().and_then(VecDeque::front);
        front.map(|run| run.headers.clone()).unwrap_or_default()
    }

    /// How many rows from the first on wrote the same, of `rows` there are.
    pub(crate) fn front_rows(&self, rows: usize) -> usize {
        let front = self.runs.as_ref().and_then(VecDeque::front);
        front.map_or(rows, |run| run.rows)
    }

    /// Cuts the first `rows` rows off.
    pub(crate) fn split_to(&mut self, rows: usize) -> Self {
        let Some(runs) = &mut self.runs else {
            return Self::default();
        };
        let mut front = VecDeque::new();
        let mut rest = rows;
        while rest > 0 {
            let Some(first) = runs.front_mut() else { break };
            if first.rows > rest {
                first.rows -= rest;
                let headers = first.headers.clone();
                front.push_back(Run { rows: rest, headers });
                break;
            }
            rest -= first.rows;
            front.extend(runs.pop_front());
        }
        Self { runs: Some(front) }
    }

    /// Bytes of all headers that are held, shared ones once.
    pub(crate) fn size_bytes(&self) -> u64 {
        let runs = self.runs.iter().flatten();
        runs.map(|run| run.headers.size_bytes()).sum()
    }
}

fn headers(envelopes: &Envelopes, row: usize) -> Headers {
    let written = envelopes.row(row).unwrap_or_default().into_iter();
    let headers = written.map(|(name, value)| Header {
        name: name.into(),
        value: value.into(),
    });
    Headers::new(headers.collect())
}
