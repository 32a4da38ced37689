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

use std::sync::Arc;

use futures::FutureExt;
use nervix_sink::{Failure, FailureKind, OpenSink, Outcome, RowAnswer, RowSink};

use crate::open::Opener;
use crate::plan::Plan;
use crate::publish::Retention;
use crate::publish::flushes::Flushes;
use crate::publish::outlet::Outlet;
use crate::publish::turn::{TURN_ITEMS, Turn};
use cutting::Measured;
use write::Write;

/// Drives one rows sink.
pub(crate) struct RowDriver {
    pub(crate) outlet: Outlet<dyn RowSink, RowAnswer>,
    pub(crate) flushes: Flushes,
    /// What the rows at the front of the flush measure.
    measured: Measured,
    /// The write under way.
    write: Option<Write>,
}

impl RowDriver {
    pub(crate) fn new(plan: Arc<Plan>, opener: Arc<dyn Opener>) -> Self {
        Self {
            outlet: Outlet::new(plan, opener, row_sink),
            flushes: Flushes::joined(),
            measured: Measured::default(),
            write: None,
        }
    }

    /// Acts on what has come, cuts and writes. True when there is more to do at once.
    pub(crate) fn advance(&mut self, turn: &mut Turn<'_>) -> bool {
        if let Some(answer) = self.outlet.take_done(turn.now) {
            self.answered(answer, turn);
        }
        self.complete_flush();
        if !self.outlet.may_begin(turn.now) {
            return false;
        }
        self.outlet.setbacks.pace.begin();
        let more = self.send(turn);
        self.complete_flush() || more
    }

    /// Begins the next write, unless one is out. True when there is more to cut at once.
    fn send(&mut self, turn: &mut Turn<'_>) -> bool {
        for _ in 0..TURN_ITEMS {
            if !self.outlet.connection.is_idle() {
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
            self.outlet.connection.begin(|mut sink| {
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
                    turn.rejected(members, &self.outlet.plan.rejected, rejection.message.as_str());
                } else {
                    write.isolate();
                }
                None
            }
            RowAnswer::All(Outcome::Unresolved(failure)) | RowAnswer::Unresolved(failure) => Some(failure),
            RowAnswer::Each(outcomes) if outcomes.len() == write.out() => {
                write.settle_each(outcomes, &self.outlet.plan.rejected, turn)
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
                self.outlet.setbacks.failed(write.id, &failure, turn.now);
            }
            _ => self.outlet.setbacks.trouble.resolved(write.id),
        }
        if write.is_done() {
            self.outlet.lanes.leave(&write.lane);
            return;
        }
        self.write = Some(write);
    }

    /// A flush has completed when none of its rows waits or is out. True when another one begins.
    fn complete_flush(&mut self) -> bool {
        let pace = &mut self.outlet.setbacks.pace;
        self.flushes.complete(self.write.is_none(), pace)
    }

    /// Whether it holds no member.
    pub(crate) fn is_empty(&self) -> bool {
        self.write.is_none() && self.flushes.is_empty()
    }

    pub(crate) fn retention(&self) -> Retention {
        let write = self.write.as_ref();
        Retention {
            units: usize::from(write.is_some()),
            bytes: write.map_or(0, |write| write.bytes),
            awaiting_retry: usize::from(write.is_some_and(|write| write.failed)),
            lanes: self.outlet.lanes.len(),
        }
    }
}

fn row_sink(sink: OpenSink) -> Option<Box<dyn RowSink>> {
    match sink {
        OpenSink::Rows(sink) => Some(sink),
        _ => None,
    }
}
