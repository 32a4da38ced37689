//! The answer to one batch, as a future.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use tokio::sync::oneshot;

use crate::error::Error;

/// What finally became of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Every attached descendant of every row has resolved (MODE ACK), or the batch was admitted (MODE NO_ACK).
    Done,
    /// Sending it again cannot help; it was not and will not be sent again.
    Refused {
        /// A stable word, such as `validation`.
        code: String,
        /// A sentence with the number of rows of each fate.
        message: String,
    },
}

/// The future of one batch's [`Answer`]. Dropping it is harmless: the report counts the batch all the same.
#[derive(Debug)]
pub struct Ticket {
    answer: oneshot::Receiver<Result<Answer, Error>>,
}

impl Future for Ticket {
    type Output = Result<Answer, Error>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.answer)
            .poll(cx)
            .map(|answer| answer.unwrap_or(Err(Error::Closed)))
    }
}

/// The session's side of a ticket.
#[derive(Debug)]
pub(super) struct Reply {
    answer: oneshot::Sender<Result<Answer, Error>>,
}

impl Reply {
    pub(super) fn settle(self, answer: Result<Answer, Error>) {
        // Nobody has to wait for an answer.
        drop(self.answer.send(answer));
    }
}

pub(super) fn pair() -> (Reply, Ticket) {
    let (sender, receiver) = oneshot::channel();
    (Reply { answer: sender }, Ticket { answer: receiver })
}
