//! The wait of one buffer for its boundary.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::budget::Budget;

/// The future of [`Budget::defer`]. It is known to the budget from its first poll until it is dropped.
#[must_use = "nothing is deferred unless it is polled"]
#[derive(Debug)]
pub struct Defer {
    budget: Budget,
    bytes: u64,
    place: Place,
}

#[derive(Debug)]
enum Place {
    Outside,
    Deferred(u64),
    Done,
}

/// The turn of the buffer that lets go: no other one is asked before this is dropped.
///
/// Whoever has it passes on what it gathered without waiting for anybody, and drops it.
#[must_use = "others are asked when it is dropped"]
pub struct LetGo {
    budget: Budget,
}

impl Defer {
    pub(crate) fn new(budget: Budget, bytes: u64) -> Self {
        let place = if bytes == 0 { Place::Done } else { Place::Outside };
        Self { budget, bytes, place }
    }
}

impl Future for Defer {
    type Output = LetGo;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<LetGo> {
        let asked = match self.place {
            Place::Outside => {
                let ticket = self.budget.begin_to_defer(self.bytes, cx.waker());
                self.place = Place::Deferred(ticket);
                self.budget.is_asked(self.bytes, ticket, cx.waker())
            }
            Place::Deferred(ticket) => self.budget.is_asked(self.bytes, ticket, cx.waker()),
            Place::Done => false,
        };
        if !asked {
            return Poll::Pending;
        }
        self.place = Place::Done;
        Poll::Ready(LetGo {
            budget: self.budget.clone(),
        })
    }
}

impl Drop for Defer {
    fn drop(&mut self) {
        if let Place::Deferred(ticket) = self.place {
            self.budget.end_to_defer(self.bytes, ticket);
        }
    }
}

impl Drop for LetGo {
    fn drop(&mut self) {
        self.budget.has_let_go();
    }
}

impl fmt::Debug for LetGo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LetGo").finish_non_exhaustive()
    }
}
