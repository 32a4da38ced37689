//! The answers that a writer is owed (flight.md "Writing"): which positions are open, and what is ready to be sent.
//!
//! Invariants: a position is answered once and a later fate of it is ignored, so no answer is ever taken back; each
//! position is told its own status, however long answers stay unread. At most [`READY_RANGES_MAX`] unread ranges keep
//! their code and message; beyond it they keep their status alone, in two bits a position ([`statuses`]), so that
//! 1,000,000 unread answers that alternate take 250 KB. A pure ledger: it wakes nobody and sends nothing.

mod statuses;

use std::{collections::BTreeMap, time::Duration};

use statuses::Statuses;

/// Unread ranges that keep their words.
pub const READY_RANGES_MAX: usize = 4096;
/// How long a writer is asked to wait before it sends an unresolved batch again of which nothing else is known: whatever
/// gave it up is about to start again.
pub const RESEND_AFTER: Duration = Duration::from_millis(100);
/// What is said of batches whose answers have lost their words.
const TERSE_MESSAGE: &str = "the details of this answer were given up because answers were not read in time";

/// What became of a batch, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Every row is done.
    Done,
    /// Sending it again cannot help.
    Refused,
    /// Send it again.
    Unresolved,
}

/// One answer, without its positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What became of the batch.
    pub status: Status,
    /// Empty for DONE, else a stable word.
    pub code: String,
    /// Empty for DONE, else a sentence.
    pub message: String,
    /// How long to wait before an UNRESOLVED batch is sent again, physical time; zero where nothing is asked for.
    pub retry_after: Duration,
}

impl Answer {
    /// Every row is done.
    pub fn done() -> Self {
        Self {
            status: Status::Done,
            code: String::new(),
            message: String::new(),
            retry_after: Duration::ZERO,
        }
    }

    /// Sending it again cannot help, because of `code` and `message`.
    pub fn refused(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            status: Status::Refused,
            code: code.into(),
            message: message.into(),
            retry_after: Duration::ZERO,
        }
    }

    /// Send it again after so long, because of `code` and `message`.
    pub fn unresolved(code: impl Into<String>, message: impl Into<String>, retry_after: Duration) -> Self {
        Self {
            status: Status::Unresolved,
            code: code.into(),
            message: message.into(),
            retry_after,
        }
    }

    /// The answer of a batch of which only the status is known.
    fn terse(status: Status) -> Self {
        match status {
            Status::Done => Self::done(),
            Status::Refused => Self::refused("refused", TERSE_MESSAGE),
            Status::Unresolved => Self::unresolved("unresolved", TERSE_MESSAGE, RESEND_AFTER),
        }
    }
}

/// An answer for the positions from `first` to `last`, both inclusive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerRange {
    /// First position.
    pub first: u64,
    /// Last position, inclusive.
    pub last: u64,
    /// What became of each of them.
    pub answer: Answer,
}

/// The positions of one stream.
#[derive(Debug, Default)]
pub struct Answers {
    /// Positions given out so far.
    issued: u64,
    /// Positions that have been answered, as disjoint ranges that do not touch.
    answered: BTreeMap<u64, u64>,
    answered_count: u64,
    /// Answers not sent yet, by first position; disjoint.
    ready: BTreeMap<u64, (u64, Answer)>,
    /// Answers not sent yet that have lost their words; none of them is in `ready`.
    terse: Statuses,
}

impl Answers {
    /// Gives the next batch its position.
    pub fn issue(&mut self) -> u64 {
        let position = self.issued;
        self.issued += 1;
        position
    }

    /// Positions without an answer.
    pub fn open(&self) -> u64 {
        self.issued - self.answered_count
    }

    /// Answers one position, unless it has an answer.
    pub fn settle(&mut self, position: u64, answer: Answer) {
        if position < self.issued && !self.is_answered(position) {
            self.settle_range(position, position, answer);
        }
    }

    /// Answers all that is open; what becomes of it later is ignored.
    pub fn settle_open(&mut self, answer: &Answer) {
        let mut gaps = Vec::new();
        let mut next = 0;
        for (first, last) in &self.answered {
            if next < *first {
                gaps.push((next, *first - 1));
            }
            next = last + 1;
        }
        if next < self.issued {
            gaps.push((next, self.issued - 1));
        }
        for (first, last) in gaps {
            self.settle_range(first, last, answer.clone());
        }
    }

    /// Takes the answer of the lowest positions.
    pub fn take(&mut self) -> Option<AnswerRange> {
        let worded = self.ready.first_key_value().map(|(first, _)| *first);
        let terse = self.terse.first();
        if terse.is_some_and(|terse| worded.is_none_or(|worded| terse < worded)) {
            let (first, last, status) = self.terse.take()?;
            let answer = Answer::terse(status);
            return Some(AnswerRange { first, last, answer });
        }
        let (first, (last, answer)) = self.ready.pop_first()?;
        Some(AnswerRange { first, last, answer })
    }

    fn is_answered(&self, position: u64) -> bool {
        let before = self.answered.range(..=position).next_back();
        before.is_some_and(|(_, last)| *last >= position)
    }

    fn settle_range(&mut self, first: u64, last: u64, answer: Answer) {
        self.answered_count += last - first + 1;
        let (mut low, mut high) = (first, last);
        if let Some((before, end)) = self.answered.range(..first).next_back()
            && end + 1 == first
        {
            low = *before;
        }
        if let Some(end) = self.answered.remove(&(last + 1)) {
            high = end;
        }
        self.answered.insert(low, high);
        self.make_ready(first, last, answer);
    }

    fn make_ready(&mut self, first: u64, last: u64, answer: Answer) {
        let (mut low, mut high) = (first, last);
        if let Some((before, (end, known))) = self.ready.range(..first).next_back()
            && end + 1 == first
            && *known == answer
        {
            low = *before;
        }
        if self
            .ready
            .get(&(last + 1))
            .is_some_and(|(_, known)| *known == answer)
            && let Some((end, _)) = self.ready.remove(&(last + 1))
        {
            high = end;
        }
        self.ready.insert(low, (high, answer));
        if self.ready.len() > READY_RANGES_MAX {
            for (first, (last, answer)) in std::mem::take(&mut self.ready) {
                self.terse.insert(first, last, answer.status);
            }
        }
    }
}

#[cfg(test)]
mod tests;
