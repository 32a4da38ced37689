//! What the driver of every destination outside has, whatever its shape: a connection that one piece of work uses at a
//! time, the pace and the trouble of what fails there, and the lanes and ids of what is sent.
//!
//! Invariants: what ends is acted on once; nothing begins while the pace holds. What work is, and what its end means for
//! members, is the driver's own.

use std::sync::Arc;
use std::task::{Context, Poll};

use nervix_clock::PhysicalInstant;
use nervix_sink::PayloadId;
use uuid::Uuid;

use crate::open::Opener;
use crate::plan::Plan;
use crate::publish::connection::{Connection, Ended, Shape};
use crate::publish::lane_book::LaneBook;
use crate::publish::setbacks::Setbacks;

/// The way out to a sink of the shape `S`, whose work ends with a `T`.
pub(crate) struct Outlet<S: ?Sized, T> {
    pub(crate) plan: Arc<Plan>,
    pub(crate) connection: Connection<S, T>,
    pub(crate) setbacks: Setbacks,
    pub(crate) lanes: LaneBook,
    /// The wait of the pace is over at the next turn.
    hurried: bool,
    /// The first half of the ids of this run.
    run: u128,
    sequence: u64,
}

impl<S: ?Sized, T> Outlet<S, T> {
    /// A connection that is not open yet; `shape` takes the sink out of what `opener` will give.
    pub(crate) fn new(plan: Arc<Plan>, opener: Arc<dyn Opener>, shape: Shape<S>) -> Self {
        Self {
            connection: Connection::new(opener, shape),
            setbacks: Setbacks::new(plan.clone()),
            lanes: LaneBook::default(),
            hurried: false,
            run: Uuid::new_v4().as_u128() & !u128::from(u64::MAX),
            sequence: 0,
            plan,
        }
    }

    /// Ready while something has ended. Cancel-safe: it stays here until the next turn.
    pub(crate) fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.connection.poll_ready(cx)
    }

    /// Begins a turn: what the work has ended with, if it has.
    pub(crate) fn take_done(&mut self, now: PhysicalInstant) -> Option<T> {
        if std::mem::take(&mut self.hurried) {
            self.setbacks.pace.hurry(now);
        }
        match self.connection.take_ended()? {
            Ended::Opened => self.setbacks.trouble.lifted(),
            Ended::Failed(failure) => self.setbacks.stands(&failure, now),
            Ended::Work(done) => return Some(done),
        }
        None
    }

    /// Whether something may begin at `now`. Then the connection is opened, unless it is.
    pub(crate) fn may_begin(&mut self, now: PhysicalInstant) -> bool {
        let may = !self.setbacks.pace.holds(now);
        if may {
            self.connection.open();
        }
        may
    }

    /// When the wait of the pace is over.
    pub(crate) fn next_due(&self) -> Option<PhysicalInstant> {
        self.setbacks.pace.due()
    }

    /// The wait is over at once.
    pub(crate) fn hurry(&mut self) {
        self.hurried = true;
    }

    /// The id of the next unit of work, and how many of this run came before it.
    pub(crate) fn next_id(&mut self) -> (PayloadId, u64) {
        let sequence = self.sequence;
        self.sequence += 1;
        (PayloadId(self.run | u128::from(sequence)), sequence)
    }
}
