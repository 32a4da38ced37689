//! The answers of one DoPut stream, shared by who reads, who settles and who sends (flight.md "Writing").
//!
//! Invariant: reading never waits for sending; what is not sent yet stays in the bounded ledger. The end of the stream
//! is sent after every answer that was ready before it.

use std::{
    sync::Arc,
    task::{Context, Poll},
};

use futures::task::AtomicWaker;
use nervix_ack::{Fate, Verdict};
use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::answers::{Answer, AnswerRange, Answers, RESEND_AFTER};

/// The shared ledger of one stream; `E` is how the stream ends when it ends with a fault.
#[derive(Debug)]
pub struct AnswerBook<E> {
    page: Mutex<Page<E>>,
    sender: AtomicWaker,
    settled: Notify,
}

#[derive(Debug)]
struct Page<E> {
    answers: Answers,
    end: Option<Result<(), E>>,
    end_sent: bool,
}

impl<E> Default for AnswerBook<E> {
    fn default() -> Self {
        let page = Page {
            answers: Answers::default(),
            end: None,
            end_sent: false,
        };
        Self {
            page: Mutex::new(page),
            sender: AtomicWaker::new(),
            settled: Notify::new(),
        }
    }
}

impl<E: Clone> AnswerBook<E> {
    /// The position of the next batch.
    pub fn issue(&self) -> u64 {
        self.page.lock().answers.issue()
    }

    /// Answers one position.
    pub fn settle(&self, position: u64, answer: Answer) {
        let open = {
            let mut page = self.page.lock();
            page.answers.settle(position, answer);
            page.answers.open()
        };
        self.sender.wake();
        if open == 0 {
            self.settled.notify_one();
        }
    }

    /// Waits until every issued position is answered.
    pub async fn all_settled(&self) {
        while self.page.lock().answers.open() > 0 {
            self.settled.notified().await;
        }
    }

    /// Ends the stream: open positions get `leftover`, if there is one, and `end` is sent after all answers.
    /// Only the first end counts.
    pub fn finish(&self, end: Result<(), E>, leftover: Option<&Answer>) {
        {
            let mut page = self.page.lock();
            if page.end.is_some() {
                return;
            }
            if let Some(leftover) = leftover {
                page.answers.settle_open(leftover);
            }
            page.end = Some(end);
        }
        self.sender.wake();
    }

    /// The next answer to send, or the end.
    pub fn poll_next(&self, cx: &mut Context<'_>) -> Poll<Option<Result<AnswerRange, E>>> {
        self.sender.register(cx.waker());
        let mut page = self.page.lock();
        if let Some(range) = page.answers.take() {
            return Poll::Ready(Some(Ok(range)));
        }
        if page.end_sent {
            return Poll::Ready(None);
        }
        match page.end.clone() {
            None => Poll::Pending,
            Some(end) => {
                page.end_sent = true;
                Poll::Ready(end.err().map(Err))
            }
        }
    }

    /// Ends the stream with `end`, and what is open with `leftover`, when whoever holds the guard goes without having
    /// ended it.
    pub fn guard(self: &Arc<Self>, end: E, leftover: Answer) -> EndGuard<E> {
        EndGuard {
            book: Arc::clone(self),
            last_words: Some((end, leftover)),
        }
    }
}

/// See [`AnswerBook::guard`].
#[derive(Debug)]
pub struct EndGuard<E: Clone> {
    book: Arc<AnswerBook<E>>,
    last_words: Option<(E, Answer)>,
}

impl<E: Clone> Drop for EndGuard<E> {
    fn drop(&mut self) {
        if let Some((end, leftover)) = self.last_words.take() {
            self.book.finish(Err(end), Some(&leftover));
        }
    }
}

/// What a writer is told of a verdict: its worst fate, why, and how many rows of each.
pub fn answer_of(verdict: &Verdict) -> Answer {
    let (fallback, resend) = match verdict.worst() {
        Fate::Done => return Answer::done(),
        Fate::Refused => ("refused", None),
        Fate::Unresolved => ("unresolved", Some(RESEND_AFTER)),
    };
    let counts = format!(
        "of {} rows {} done, {} refused, {} unresolved",
        verdict.rows, verdict.done, verdict.refused, verdict.unresolved
    );
    let (code, message) = match &verdict.reason {
        Some(reason) if !reason.code().is_empty() => (reason.code(), format!("{counts}: {reason}")),
        Some(reason) => (fallback, format!("{counts}: {reason}")),
        None => (fallback, counts),
    };
    match resend {
        None => Answer::refused(code, message),
        Some(after) => Answer::unresolved(code, message, after),
    }
}

#[cfg(test)]
mod tests;
