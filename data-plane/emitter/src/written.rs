//! What the records of a carrier wrote as headers, in runs of equal ones (`emitters.txt`, Header invocations and Batch
//! payloads: different headers seal a payload), and the method and the target of each where it is a request of its own.
//!
//! Invariant: the runs together have as many rows as their carrier, in its order; neighbours differ. So have the lines.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow::buffer::BooleanBuffer;
use nervix_expr::{Envelopes, Requests};
use nervix_sink::{Header, Headers};

/// Headers of consecutive rows; without INVOKE one empty run that never ends.
#[derive(Debug, Clone, Default)]
pub(crate) struct Written {
    /// None: no header is written here.
    runs: Option<VecDeque<Run>>,
    /// None: no record is a request.
    lines: Option<VecDeque<Line>>,
}

/// A method and a target.
#[derive(Debug, Clone)]
struct Line {
    method: Arc<str>,
    target: Arc<str>,
}

/// What one record asks for, without its body.
pub(crate) struct Request {
    pub(crate) method: Arc<str>,
    pub(crate) target: Arc<str>,
    pub(crate) headers: Headers,
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
        Self {
            runs: Some(runs),
            lines: None,
        }
    }

    /// The same, with the methods and targets of the rows that `kept` names, in order; of all `rows` without it.
    pub(crate) fn with_requests(
        self,
        requests: &Requests,
        kept: Option<&BooleanBuffer>,
        rows: usize,
    ) -> Self {
        let has = |row: &usize| kept.is_none_or(|kept| kept.value(*row));
        let mut lines: VecDeque<Line> = VecDeque::new();
        for (method, target) in (0..rows).filter(has).filter_map(|row| requests.row(row)) {
            let last = lines.back();
            let method = match last.filter(|last| *last.method == *method) {
                Some(last) => Arc::clone(&last.method),
                None => method.into(),
            };
            let target = match last.filter(|last| *last.target == *target) {
                Some(last) => Arc::clone(&last.target),
                None => target.into(),
            };
            lines.push_back(Line { method, target });
        }
        Self {
            lines: Some(lines),
            ..self
        }
    }

    /// What the first `rows` rows ask for.
    pub(crate) fn requests(&self, rows: usize) -> Vec<Request> {
        let runs = self.runs.iter().flatten();
        let headers = runs.flat_map(|run| std::iter::repeat_n(&run.headers, run.rows));
        let mut headers = headers.cloned();
        let lines = self.lines.iter().flatten().take(rows);
        let request = |line: &Line| Request {
            method: Arc::clone(&line.method),
            target: Arc::clone(&line.target),
            headers: headers.next().unwrap_or_default(),
        };
        lines.map(request).collect()
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
        let lines = self.lines.as_mut();
        let lines = lines.map(|lines| lines.drain(..rows.min(lines.len())).collect());
        let Some(runs) = &mut self.runs else {
            return Self { runs: None, lines };
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
        Self {
            runs: Some(front),
            lines,
        }
    }

    /// Bytes of all headers and targets that are held, shared headers once.
    pub(crate) fn size_bytes(&self) -> u64 {
        let runs = self.runs.iter().flatten();
        let lines = self.lines.iter().flatten();
        let headers: u64 = runs.map(|run| run.headers.size_bytes()).sum();
        headers + lines.map(|line| line.target.len() as u64).sum::<u64>()
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
