//! Payloads that are made and whose outcome is not known, and what may be done with them next (`emitters.txt`, Publishing
//! modes and Batch payloads).
//!
//! Invariants: a payload leaves once, when it is delivered or rejected; at most `window` payloads have been sent and are
//! not resolved; what failed is sent again, in order, when everything that is out has been answered, and nothing newer is
//! sent before. What the client did not take comes again when everything that is out has been answered. In a mode without
//! confirmations a write is followed by a flush of the client before the next. A large window is filled again when a part of
//! it is free ([`REFILL`]): a client that sends what it is given would send each on its own. This machine knows no clock and
//! no sink; `V` is what belongs to a payload.

use std::collections::BTreeMap;

/// Which part of a window that was filled has to be free before more is sent, unless all that is ready fits. One of less than
/// twice as many is filled with each confirmation.
const REFILL: usize = 16;

/// All of one emitter, by sequence.
#[derive(Debug)]
pub(crate) struct Outstanding<V> {
    window: usize,
    /// Whether a write counts only when the client was flushed.
    flushed: bool,
    payloads: BTreeMap<u64, Entry<V>>,
    /// Everything below was sent at least once.
    first_ready: u64,
    /// Whether the client has left some of the last write, so that nothing is sent while something is out.
    held: bool,
    /// Whether the last write filled the window.
    filled: bool,
    counts: [usize; 4],
}

#[derive(Debug)]
struct Entry<V> {
    state: State,
    attempt: u32,
    value: V,
}

/// How far a payload has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// Made, and never sent.
    Ready = 0,
    /// Sent, and not answered.
    Out = 1,
    /// Taken by the client, which was not flushed since.
    Accepted = 2,
    /// Answered by a failure, or not in time.
    Failed = 3,
}

/// What may be done next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Send these for the first time.
    Send(Vec<u64>),
    /// Send these again.
    Resend(Vec<u64>),
    /// Flush the client.
    Flush,
    /// Wait.
    Nothing,
}

impl<V> Outstanding<V> {
    /// At most `window` payloads are out; with `flushed`, writes count when the client was flushed after them.
    pub(crate) fn new(window: u32, flushed: bool) -> Self {
        Self {
            window: (window as usize).max(1),
            flushed,
            payloads: BTreeMap::new(),
            first_ready: 0,
            held: false,
            filled: false,
            counts: [0; 4],
        }
    }

    /// A new payload, newer than all others.
    pub(crate) fn insert(&mut self, sequence: u64, value: V) {
        let entry = Entry {
            state: State::Ready,
            attempt: 0,
            value,
        };
        self.payloads.insert(sequence, entry);
        self.counts[State::Ready as usize] += 1;
    }

    /// What may be done next, at most `most` payloads at once.
    pub(crate) fn next(&self, most: usize) -> Step {
        let [ready, out, accepted, failed] = self.counts;
        if out == 0 && accepted > 0 {
            return Step::Flush;
        }
        if failed > 0 || (out > 0 && (self.flushed || self.held)) {
            return match out {
                0 => Step::Resend(self.in_state(State::Failed).take(most).collect()),
                _ => Step::Nothing,
            };
        }
        let room = self.window.saturating_sub(out).min(ready);
        let part = if self.filled && out > 0 {
            self.window / REFILL
        } else {
            1
        };
        if room < part.min(ready).max(1) {
            return Step::Nothing;
        }
        // Ready ones are newer than all that was sent.
        let fresh = self.payloads.range(self.first_ready..);
        let fresh = fresh.map(|(sequence, _)| *sequence).take(room.min(most));
        Step::Send(fresh.collect())
    }

    /// The payload is sent: gives the number of the attempt, from 1, and what belongs to it.
    pub(crate) fn send(&mut self, sequence: u64) -> Option<(u32, &mut V)> {
        self.change(sequence, State::Out)?;
        let entry = self.payloads.get_mut(&sequence)?;
        entry.attempt = entry.attempt.saturating_add(1);
        self.held = false;
        self.filled = self.counts[State::Out as usize] >= self.window;
        self.first_ready = self.first_ready.max(sequence + 1);
        Some((entry.attempt, &mut entry.value))
    }

    /// The client has not taken it, nor what is newer: this was no attempt.
    pub(crate) fn leave(&mut self, sequence: u64) {
        let Some(entry) = self.payloads.get_mut(&sequence) else {
            return;
        };
        entry.attempt = entry.attempt.saturating_sub(1);
        let before = match entry.attempt {
            0 => State::Ready,
            _ => State::Failed,
        };
        if before == State::Ready {
            self.first_ready = self.first_ready.min(sequence);
        }
        self.held = true;
        self.change(sequence, before);
    }

    /// The client has taken it.
    pub(crate) fn accept(&mut self, sequence: u64) {
        self.change(sequence, State::Accepted);
    }

    /// It has failed.
    pub(crate) fn fail(&mut self, sequence: u64) -> Option<&mut V> {
        self.change(sequence, State::Failed)?;
        self.payloads.get_mut(&sequence).map(|entry| &mut entry.value)
    }

    /// It is delivered or rejected.
    pub(crate) fn resolve(&mut self, sequence: u64) -> Option<V> {
        let entry = self.payloads.remove(&sequence)?;
        self.counts[entry.state as usize] -= 1;
        Some(entry.value)
    }

    /// What belongs to a payload.
    pub(crate) fn get_mut(&mut self, sequence: u64) -> Option<&mut V> {
        self.payloads.get_mut(&sequence).map(|entry| &mut entry.value)
    }

    /// How far a payload has come, and in which attempt.
    pub(crate) fn state(&self, sequence: u64) -> Option<(State, u32)> {
        self.payloads
            .get(&sequence)
            .map(|entry| (entry.state, entry.attempt))
    }

    /// Those in a state, oldest first.
    pub(crate) fn in_state(&self, state: State) -> impl Iterator<Item = u64> {
        let payloads = self.payloads.iter();
        payloads
            .filter(move |(_, entry)| entry.state == state)
            .map(|(sequence, _)| *sequence)
    }

    /// How many are in a state.
    pub(crate) fn count(&self, state: State) -> usize {
        self.counts[state as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.payloads.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.payloads.is_empty()
    }

    fn change(&mut self, sequence: u64, state: State) -> Option<()> {
        let entry = self.payloads.get_mut(&sequence)?;
        self.counts[entry.state as usize] -= 1;
        self.counts[state as usize] += 1;
        entry.state = state;
        Some(())
    }
}

#[cfg(test)]
mod tests;
