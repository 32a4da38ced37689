//! The driver of request sinks (`emitters.txt`, HTTP requests, and HTTP retries and acknowledgements).
//!
//! One request for each record, in the order in which flushes released them, and one of them out at a time over all
//! source relays and branches. Bodies are encoded ahead of the request that is out, as far as [`PREPARED_MAX`] and
//! [`PREPARED_BYTES`] go; from then on a request is kept with its bytes until it is delivered or rejected. An unresolved
//! one stops everything behind it, waits out the pace of the emitter and is sent again as it was.
//!
//! Invariants: each member leaves in one verdict; nothing is sent before what was released before it has its outcome; a
//! request is prepared once. What the verdicts of a turn ask for is done before the next request goes out, since a
//! request begins when the driver is next waited on.

mod preparing;

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::FutureExt;
use nervix_budget::Held;
use nervix_clock::PhysicalInstant;
use nervix_sink::{OpenSink, Outcome, PayloadId, PreparedRequest, RequestSink};
use uuid::Uuid;

use crate::carrier::{Carrier, Members};
use crate::open::Opener;
use crate::plan::Plan;
use crate::publish::Retention;
use crate::publish::codec_job::CodecJob;
use crate::publish::connection::{Connection, Ended};
use crate::publish::lane_book::LaneBook;
use crate::publish::setbacks::Setbacks;
use crate::publish::turn::Turn;

/// Requests that are prepared at most, the one that is out among them.
const PREPARED_MAX: usize = 256;
/// With more prepared ones than this nothing is prepared: an encoder works on many records at once.
const PREPARED_MIN: usize = PREPARED_MAX / 4;
/// Logical bytes of the records whose bodies one call of the encoder makes, but for a single record.
const PREPARED_BYTES: u64 = 1024 * 1024;

/// Drives one request sink.
pub(crate) struct RequestDriver {
    plan: Arc<Plan>,
    connection: Connection<dyn RequestSink, Outcome>,
    /// What flushes released and is not prepared yet; the first one is under way.
    flushes: VecDeque<VecDeque<Carrier>>,
    /// Encoding that an extension worker does.
    job: CodecJob,
    /// In order; the first one is out, or is next.
    prepared: VecDeque<Unit>,
    pub(crate) setbacks: Setbacks,
    lanes: LaneBook,
    /// The first half of the ids of this run's requests.
    run: u128,
    sequence: u64,
    retained_bytes: u64,
}

/// A request with its member.
struct Unit {
    id: PayloadId,
    request: Arc<PreparedRequest>,
    members: Members,
    /// How often it was sent.
    attempts: u32,
    /// Its last attempt failed and the next has not begun.
    failed: bool,
    size: u64,
    _held: Held,
}

impl RequestDriver {
    pub(crate) fn new(plan: Arc<Plan>, opener: Arc<dyn Opener>) -> Self {
        Self {
            connection: Connection::new(opener),
            flushes: VecDeque::new(),
            job: CodecJob::default(),
            prepared: VecDeque::new(),
            setbacks: Setbacks::new(plan.clone()),
            lanes: LaneBook::default(),
            run: Uuid::new_v4().as_u128() & !u128::from(u64::MAX),
            sequence: 0,
            retained_bytes: 0,
            plan,
        }
    }

    /// Takes what one flush released.
    pub(crate) fn release(&mut self, carriers: Vec<Carrier>) {
        if !carriers.is_empty() {
            self.flushes.push_back(carriers.into());
        }
    }

    /// Ends when something has come. Cancel-safe: what comes stays in the driver.
    pub(crate) async fn ready(&mut self) {
        std::future::poll_fn(|cx| self.poll_ready(cx)).await;
    }

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let connection = self.connection.poll_ready(cx, request_sink);
        let job = self.job.poll_ready(cx);
        if connection.is_pending() && job.is_pending() {
            return Poll::Pending;
        }
        Poll::Ready(())
    }

    /// Acts on what has come, prepares and sends. True when there is more to prepare at once.
    pub(crate) fn advance(&mut self, turn: &mut Turn<'_>) -> bool {
        match self.connection.take_ended() {
            Some(Ended::Opened) => self.setbacks.trouble.lifted(),
            Some(Ended::Failed(failure)) => self.setbacks.stands(&failure, turn.now),
            Some(Ended::Work(outcome)) => self.answered(outcome, turn),
            None => {}
        }
        if let Some(packed) = self.job.take() {
            self.packed(packed, turn);
        }
        self.complete_flushes();
        if self.setbacks.pace.holds(turn.now) {
            return false;
        }
        self.setbacks.pace.begin();
        self.connection.open();
        let more = self.prepare(turn);
        self.send(turn);
        self.complete_flushes();
        more
    }

    /// Sends the first request, unless one is out.
    fn send(&mut self, turn: &mut Turn<'_>) {
        if !self.connection.is_idle() || self.setbacks.pace.holds(turn.now) {
            return;
        }
        let Some(unit) = self.prepared.front_mut() else {
            return;
        };
        turn.retried += u64::from(unit.attempts > 0);
        unit.attempts = unit.attempts.saturating_add(1);
        unit.failed = false;
        let request = Arc::clone(&unit.request);
        self.connection.begin(|mut sink| {
            let attempt = async move {
                let outcome = sink.send(&request).await;
                (sink, outcome)
            };
            attempt.boxed()
        });
    }

    fn answered(&mut self, outcome: Outcome, turn: &mut Turn<'_>) {
        let failure = match outcome {
            Outcome::Unresolved(failure) => failure,
            Outcome::Delivered(note) => {
                if let Some(members) = self.resolve() {
                    turn.delivered(members, note);
                }
                return;
            }
            Outcome::Rejected(rejection) => {
                if let Some(members) = self.resolve() {
                    turn.rejected(members, &self.plan.rejected, rejection.message.as_str());
                }
                return;
            }
        };
        if let Some(unit) = self.prepared.front_mut() {
            unit.failed = true;
            self.setbacks.failed(unit.id, &failure, turn.now);
        }
    }

    /// The first request has its outcome.
    fn resolve(&mut self) -> Option<Members> {
        let unit = self.prepared.pop_front()?;
        self.retained_bytes -= unit.size;
        self.setbacks.trouble.resolved(unit.id);
        self.lanes.leave(&unit.members.lane);
        Some(unit.members)
    }

    /// A flush has completed when each of its requests has its outcome; it resets the backoff.
    fn complete_flushes(&mut self) {
        while self.is_at_rest() && self.flushes.front().is_some_and(VecDeque::is_empty) {
            self.flushes.pop_front();
            self.setbacks.pace.completed();
        }
    }

    /// Whether nothing of the flush under way is being prepared, waits or is out.
    fn is_at_rest(&self) -> bool {
        self.job.is_idle() && self.prepared.is_empty()
    }

    /// When the wait of the pace is over.
    pub(crate) fn next_due(&self) -> Option<PhysicalInstant> {
        self.setbacks.pace.due()
    }

    /// Whether it holds no member.
    pub(crate) fn is_empty(&self) -> bool {
        self.is_at_rest() && self.flushes.iter().all(VecDeque::is_empty)
    }

    pub(crate) fn retention(&self) -> Retention {
        Retention {
            units: self.prepared.len(),
            bytes: self.retained_bytes,
            awaiting_retry: usize::from(self.prepared.front().is_some_and(|unit| unit.failed)),
            lanes: self.lanes.len(),
        }
    }
}

fn request_sink(sink: OpenSink) -> Option<Box<dyn RequestSink>> {
    match sink {
        OpenSink::Requests(sink) => Some(sink),
        _ => None,
    }
}
