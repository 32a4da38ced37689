//! Tasks that wait in order of arrival for something only the first of them may take.

use std::collections::VecDeque;
use std::task::Waker;

/// A place in a [`Line`].
pub(crate) type Ticket = u64;

/// Who waits, first come first served. It is guarded by the lock of what is waited for.
#[derive(Debug, Default)]
pub(crate) struct Line {
    next: Ticket,
    waiting: VecDeque<(Ticket, Waker)>,
}

impl Line {
    /// Whether the holder of `ticket`, or somebody who has none yet, is the first.
    pub(crate) fn is_first(&self, ticket: Option<Ticket>) -> bool {
        match (ticket, self.waiting.front()) {
            (_, None) => true,
            (Some(ticket), Some((first, _))) => ticket == *first,
            (None, Some(_)) => false,
        }
    }

    /// Waits on, or begins to, and says at which place.
    pub(crate) fn stay(&mut self, ticket: Option<Ticket>, waker: &Waker) -> Ticket {
        if let Some(ticket) = ticket
            && let Some(place) = self.place_of(ticket)
            && let Some((_, known)) = self.waiting.get_mut(place)
        {
            known.clone_from(waker);
            return ticket;
        }
        let ticket = self.next;
        self.next += 1;
        self.waiting.push_back((ticket, waker.clone()));
        ticket
    }

    /// Gives up a place.
    pub(crate) fn leave(&mut self, ticket: Option<Ticket>) {
        if let Some(place) = ticket.and_then(|ticket| self.place_of(ticket)) {
            self.waiting.remove(place);
        }
    }

    /// Whom to wake when there may be something for the first.
    pub(crate) fn first(&self) -> Option<Waker> {
        self.waiting.front().map(|(_, waker)| waker.clone())
    }

    /// Everybody, in order.
    pub(crate) fn all(&self) -> Vec<Waker> {
        self.waiting.iter().map(|(_, waker)| waker.clone()).collect()
    }

    /// How many wait.
    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    fn place_of(&self, ticket: Ticket) -> Option<usize> {
        self.waiting
            .binary_search_by_key(&ticket, |(known, _)| *known)
            .ok()
    }
}
