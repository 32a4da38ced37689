//! The driver of rows sinks: databases (`emitters.txt`, Database writes, Publishing modes).
//!
//! Flushes are written one after the other, and what was released while one is under way is the next. From its front a
//! write is cut: rows of one source relay and one concrete branch, as many as BATCH and the destination's own limits let one
//! write carry. One write is out at a time. A write that its rows are at fault for is written again row by row, so that
//! each row has an answer of its own; an unresolved one waits out the pace of the emitter and carries the same rows again,
//! less those that were answered for.
//!
//! Invariants: each member leaves in one verdict; nothing newer is written before a write has the outcome of all its rows; a
//! row follows ON MESSAGE ERROR only for an answer about itself alone, so that a connection that is lost between two
//! isolated rows rejects neither.

mod cutting;
mod write;

use std::collections::VecDeque;
use std::sync::Arc;

use futures::FutureExt;
use nervix_clock::PhysicalInstant;
use nervix_sink::{Failure, FailureKind, OpenSink, Outcome, RowAnswer, RowSink};
use uuid::Uuid;

use crate::carrier::Carrier;
use crate::open::Opener;
use crate::plan::Plan;
use crate::publish::Retention;
use crate::publish::connection::{Connection, Ended};
use crate::publish::lane_book::LaneBook;
use crate::publish::setbacks::Setbacks;
use crate::publish::turn::{TURN_ITEMS, Turn};
use cutting::Measured;
use write::Write;

/// Drives one rows sink.
pub(crate) struct RowDriver {
    plan: Arc<Plan>,
    connection: Connection<dyn RowSink, RowAnswer>,
    /// What of the flush under way is in no write yet; none while no flush is.
    flush: Option<VecDeque<Carrier>>,
    /// What was released meanwhile: one flush, when its turn comes.
    released: VecDeque<Carrier>,
    /// What the rows at the front of the flush measure.
    measured: Measured,
    /// The write under way.
    write: Option<Write>,
    pub(crate) setbacks: Setbacks,
    hurried: bool,
    lanes: LaneBook,
    /// The first half of the ids of this run's writes.
    run: u128,
    sequence: u64,
}

impl RowDriver {
    pub(crate) fn new(plan: Arc<Plan>, opener: Arc<dyn Opener>) -> Self {
        Self {
            connection: Connection::new(opener),
            flush: None,
            released: VecDeque::new(),
            measured: Measured::default(),
            write: None,
            setbacks: Setbacks::new(plan.clone()),
            hurried: false,
            lanes: LaneBook::default(),
            run: Uuid::new_v4().as_u128() & !u128::from(u64::MAX),
            sequence: 0,
            plan,
        }
    }

    /// Takes what one flush released.
    pub(crate) fn release(&mut self, carriers: Vec<Carrier>) {
        self.released.extend(carriers);
    }

    /// Ends when something has come. Cancel-safe: what comes stays in the driver.
    pub(crate) async fn ready(&mut self) {
        std::future::poll_fn(|cx| self.connection.poll_ready(cx, row_sink)).await;
    }

    /// Acts on what has come, cuts and writes. True when there is more to do at once.
    pub(crate) fn advance(&mut self, turn: &mut Turn<'_>) -> bool {
        if std::mem::take(&mut self.hurried) {
            self.setbacks.pace.hurry(turn.now);
        }
        match self.connection.take_ended() {
            Some(Ended::Opened) => self.setbacks.trouble.lifted(),
            Some(Ended::Failed(failure)) => self.setbacks.stands(&failure, turn.now),
            Some(Ended::Work(answer)) => self.answered(answer, turn),
            None => {}
        }
        self.complete_flush();
        if self.setbacks.pace.holds(turn.now) {
            return false;
        }
        self.setbacks.pace.begin();
        self.connection.open();
        let more = self.send(turn);
        self.complete_flush() || more
    }

    /// Begins the next write, unless one is out. True when there is more to cut at once.
    fn send(&mut self, turn: &mut Turn<'_>) -> bool {
        for _ in 0..TURN_ITEMS {
            if !self.connection.is_idle() {
                return false;
            }
            if self.write.is_none() && !self.cut(turn) {
                return false;
            }
            let Some(write) = &mut self.write else {
                continue;
            };
            turn.retried += u64::from(write.failed);
            let rows = write.begin();
            self.connection.begin(|mut sink| {
                let write = async move {
                    let answer = sink.write(&rows).await;
                    (sink, answer)
                };
                write.boxed()
            });
            return false;
        }
        true
    }

    fn answered(&mut self, answer: RowAnswer, turn: &mut Turn<'_>) {
        let Some(mut write) = self.write.take() else {
            return;
        };
        let failure = match answer {
            RowAnswer::All(Outcome::Delivered(note)) => {
                turn.delivered(write.take_answered(), note);
                None
            }
            RowAnswer::All(Outcome::Rejected(rejection)) | RowAnswer::Isolate(rejection) => {
                if write.is_alone() {
                    let members = write.take_answered();
                    turn.rejected(members, &self.plan.rejected, rejection.message.as_str());
                } else {
                    write.isolate();
                }
                None
            }
            RowAnswer::All(Outcome::Unresolved(failure)) | RowAnswer::Unresolved(failure) => Some(failure),
            RowAnswer::Each(outcomes) if outcomes.len() == write.out() => {
                write.settle_each(outcomes, &self.plan.rejected, turn)
            }
            // The contract has one for each; whatever became of the rows, nobody knows.
            RowAnswer::Each(_) => Some(Failure::new(
                FailureKind::Unavailable,
                "the write was not answered for each of its rows",
            )),
        };
        match failure {
            Some(failure) if !write.is_done() => {
                write.failed = true;
                self.setbacks.failed(write.id, &failure, turn.now);
            }
            _ => self.setbacks.trouble.resolved(write.id),
        }
        if write.is_done() {
            self.lanes.leave(&write.lane);
            return;
        }
        self.write = Some(write);
    }

    /// A flush has completed when none of its rows waits or is out, which resets the backoff. True when another one begins.
    fn complete_flush(&mut self) -> bool {
        if self.write.is_some() {
            return false;
        }
        if self.flush.as_ref().is_some_and(VecDeque::is_empty) {
            self.flush = None;
            self.setbacks.pace.completed();
        }
        let begins = self.flush.is_none() && !self.released.is_empty();
        if begins {
            self.flush = Some(std::mem::take(&mut self.released));
        }
        begins
    }

    /// When the wait of the pace is over.
    pub(crate) fn next_due(&self) -> Option<PhysicalInstant> {
        self.setbacks.pace.due()
    }

    /// The wait is over at once.
    pub(crate) fn hurry(&mut self) {
        self.hurried = true;
    }

    /// Whether it holds no member.
    pub(crate) fn is_empty(&self) -> bool {
        self.write.is_none() && self.flush.as_ref().is_none_or(VecDeque::is_empty) && self.released.is_empty()
    }

    pub(crate) fn retention(&self) -> Retention {
        let write = self.write.as_ref();
        Retention {
            units: usize::from(write.is_some()),
            bytes: write.map_or(0, |write| write.bytes),
            awaiting_retry: usize::from(write.is_some_and(|write| write.failed)),
            lanes: self.lanes.len(),
        }
    }
}

fn row_sink(sink: OpenSink) -> Option<Box<dyn RowSink>> {
    match sink {
        OpenSink::Rows(sink) => Some(sink),
        _ => None,
    }
}
