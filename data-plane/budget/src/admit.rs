//! The wait of one way in.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::budget::Budget;
use crate::held::Held;

/// The future of [`Budget::admit`]. It joins the line when it is first polled.
#[must_use = "nothing is held until the wait is over"]
#[derive(Debug)]
pub struct Admit {
    budget: Budget,
    bytes: u64,
    place: Place,
}

#[derive(Debug)]
enum Place {
    Outside,
    InLine(u64),
    Done,
}

impl Admit {
    pub(crate) fn new(budget: Budget, bytes: u64) -> Self {
        Self {
            budget,
            bytes,
            place: Place::Outside,
        }
    }
}

impl Future for Admit {
    type Output = Held;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Held> {
        let held = match self.place {
            Place::Outside => match self.budget.join(self.bytes, cx.waker()) {
                Ok(held) => Some(held),
                Err(ticket) => {
                    self.place = Place::InLine(ticket);
                    None
                }
            },
            Place::InLine(ticket) => self.budget.collect(ticket, cx.waker()),
            Place::Done => None,
        };
        match held {
            Some(held) => {
                self.place = Place::Done;
                Poll::Ready(held)
            }
            None => Poll::Pending,
        }
    }
}

impl Drop for Admit {
    fn drop(&mut self) {
        if let Place::InLine(ticket) = self.place {
            self.budget.leave(ticket);
        }
    }
}
