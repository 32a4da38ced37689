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
use nervix_codec::{JobFuture, Packed, Refused};
use nervix_sink::{Failure, OpenSink, Outcome, PayloadId, PreparedRequest, RequestSink};
use uuid::Uuid;

use crate::carrier::{Carrier, Members};
use crate::open::Opener;
use crate::pace::Pace;
use crate::plan::Plan;
use crate::publish::Retention;
use crate::publish::connection::{Connection, Ended};
use crate::publish::lane_book::LaneBook;
use crate::publish::trouble::Trouble;
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
    job: Option<JobFuture<Vec<Packed>>>,
    /// In order; the first one is out, or is next.
    prepared: VecDeque<Unit>,
    news: News,
    pace: Pace,
    pub(crate) trouble: Trouble,
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

/// What has come and is not acted on yet.
#[derive(Default)]
struct News {
    ended: Option<Ended<Outcome>>,
    packed: Option<Result<Vec<Packed>, Refused>>,
}

impl RequestDriver {
    pub(crate) fn new(plan: Arc<Plan>, opener: Arc<dyn Opener>) -> Self {
        Self {
            connection: Connection::new(opener),
            flushes: VecDeque::new(),
            job: None,
            prepared: VecDeque::new(),
            news: News::default(),
            pace: Pace::new(plan.retry),
            trouble: Trouble::default(),
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
        let news = &mut self.news;
        if news.ended.is_none()
            && let Poll::Ready(ended) = self.connection.poll_ended(cx, request_sink)
        {
            news.ended = Some(ended);
        }
        if let Some(job) = &mut self.job
            && let Poll::Ready(packed) = job.poll_unpin(cx)
        {
            self.job = None;
            news.packed = Some(packed);
        }
        if news.ended.is_none() && news.packed.is_none() {
            return Poll::Pending;
        }
        Poll::Ready(())
    }

    /// Acts on what has come, prepares and sends. True when there is more to prepare at once.
    pub(crate) fn advance(&mut self, turn: &mut Turn<'_>) -> bool {
        match self.news.ended.take() {
            Some(Ended::Opened) => self.trouble.lifted(),
            Some(Ended::Failed(failure)) => self.stands(&failure, turn.now),
            Some(Ended::Work(outcome)) => self.answered(outcome, turn),
            None => {}
        }
        if let Some(packed) = self.news.packed.take() {
            self.packed(packed, turn);
        }
        self.complete_flushes();
        if self.pace.holds(turn.now) {
            return false;
        }
        self.pace.begin();
        self.connection.open();
        let more = self.prepare(turn);
        self.send(turn);
        self.complete_flushes();
        more
    }

    /// Sends the first request, unless one is out.
    fn send(&mut self, turn: &mut Turn<'_>) {
        if !self.connection.is_idle() || self.pace.holds(turn.now) {
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
        let wait = self.pace.failed(turn.now, failure.retry_after);
        if let Some(unit) = self.prepared.front_mut() {
            unit.failed = true;
            self.trouble.failed(unit.id, &failure, wait.backoff, wait.due);
        }
        self.log(&failure, wait.backoff);
    }

    /// The first request has its outcome.
    fn resolve(&mut self) -> Option<Members> {
        let unit = self.prepared.pop_front()?;
        self.retained_bytes -= unit.size;
        self.trouble.resolved(unit.id);
        self.lanes.leave(&unit.members.lane);
        Some(unit.members)
    }

    /// Something failed that belongs to no request.
    fn stands(&mut self, failure: &Failure, now: PhysicalInstant) {
        let wait = self.pace.failed(now, failure.retry_after);
        self.trouble.stands(failure, wait.backoff, wait.due);
        self.log(failure, wait.backoff);
    }

    fn log(&self, failure: &Failure, backoff: std::time::Duration) {
        let Plan { domain, emitter, .. } = &*self.plan;
        let (kind, backoff_ms) = (failure.kind.word(), backoff.as_millis());
        tracing::debug!(%domain, %emitter, kind, backoff_ms, "an attempt failed; the next follows after its backoff");
    }

    /// A flush has completed when each of its requests has its outcome; it resets the backoff.
    fn complete_flushes(&mut self) {
        while self.is_at_rest() && self.flushes.front().is_some_and(VecDeque::is_empty) {
            self.flushes.pop_front();
            self.pace.completed();
        }
    }

    /// Whether nothing of the flush under way is being prepared, waits or is out.
    fn is_at_rest(&self) -> bool {
        self.job.is_none() && self.news.packed.is_none() && self.prepared.is_empty()
    }

    /// When the wait of the pace is over.
    pub(crate) fn next_due(&self) -> Option<PhysicalInstant> {
        self.pace.due()
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
