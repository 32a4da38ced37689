//! What flushes released, one of them under way at a time.
//!
//! Invariant: a flush completes, which resets the backoff, when each of its records has its outcome; the next one begins no
//! earlier.

use std::collections::VecDeque;

use crate::carrier::Carrier;
use crate::pace::Pace;

/// The flush under way, and those behind it.
pub(crate) struct Flushes {
    /// What of the flush under way its driver has not taken yet.
    pub(crate) current: VecDeque<Carrier>,
    under_way: bool,
    /// What was released meanwhile, none of it empty.
    released: VecDeque<VecDeque<Carrier>>,
    /// What is released while a flush is under way is one flush.
    joins: bool,
}

impl Flushes {
    /// Each release is a flush of its own.
    pub(crate) fn apart() -> Self {
        Self {
            current: VecDeque::new(),
            under_way: false,
            released: VecDeque::new(),
            joins: false,
        }
    }

    /// What is released while a flush is under way is one flush, when its turn comes.
    pub(crate) fn joined() -> Self {
        Self {
            joins: true,
            ..Self::apart()
        }
    }

    /// Takes what one flush released.
    pub(crate) fn release(&mut self, carriers: Vec<Carrier>) {
        if carriers.is_empty() {
            return;
        }
        match self.released.back_mut() {
            Some(last) if self.joins => last.extend(carriers),
            _ => self.released.push_back(carriers.into()),
        }
    }

    /// Ends the flush under way when nothing of it is left, here or with the driver, and begins the next. True when one
    /// begins.
    pub(crate) fn complete(&mut self, is_at_rest: bool, pace: &mut Pace) -> bool {
        if !is_at_rest || !self.current.is_empty() {
            return false;
        }
        if std::mem::take(&mut self.under_way) {
            pace.completed();
        }
        if let Some(next) = self.released.pop_front() {
            self.current = next;
            self.under_way = true;
        }
        self.under_way
    }

    /// Whether nothing waits here.
    pub(crate) fn is_empty(&self) -> bool {
        self.current.is_empty() && self.released.is_empty()
    }
}
