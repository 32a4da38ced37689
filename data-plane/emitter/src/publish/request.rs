//! The driver of request sinks (`emitters.txt`, HTTP requests, and HTTP retries and acknowledgements).
//!
//! One request for each record, in the order in which flushes released them, and one of them out at a time over all
//! source relays and branches. Bodies are encoded ahead of the request that is out, as far as [`PREPARED_MAX`] and
//! [`PREPARED_BYTES`] go; from then on a request is kept with its bytes until it is delivered or rejected. An unresolved
//! one stops everything behind it, waits out the pace of the emitter and is sent again as it was.
//!
//! Invariants: each member leaves in one verdict; nothing is sent before what was released before it has its outcome; a
//! request is prepared once. What a rejection asks for is done before the next request goes out, since that begins when the
//! driver is next waited on. A delivery asks for nothing: the next request begins at once, and the endpoint takes its
//! connection while the delivered record is settled.

mod preparing;

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::FutureExt;
use nervix_budget::Held;
use nervix_sink::{Note, OpenSink, Outcome, PayloadId, PreparedRequest, RequestSink};

use crate::carrier::Members;
use crate::open::Opener;
use crate::plan::Plan;
use crate::publish::Retention;
use crate::publish::codec_job::CodecJob;
use crate::publish::connection::Ended;
use crate::publish::flushes::Flushes;
use crate::publish::outlet::Outlet;
use crate::publish::turn::Turn;

/// Requests that are prepared at most, the one that is out among them.
const PREPARED_MAX: usize = 256;
/// With more prepared ones than this nothing is prepared: an encoder works on many records at once.
const PREPARED_MIN: usize = PREPARED_MAX / 4;
/// Logical bytes of the records whose bodies one call of the encoder makes, but for a single record.
const PREPARED_BYTES: u64 = 1024 * 1024;

/// Drives one request sink.
pub(crate) struct RequestDriver {
    pub(crate) outlet: Outlet<dyn RequestSink, Outcome>,
    pub(crate) flushes: Flushes,
    /// Encoding that an extension worker does.
    job: CodecJob,
    /// In order; the first one is out, or is next.
    prepared: VecDeque<Unit>,
    /// Delivered, and not told yet.
    delivered: Option<(Members, Option<Note>)>,
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
            outlet: Outlet::new(plan, opener, request_sink),
            flushes: Flushes::apart(),
            job: CodecJob::default(),
            prepared: VecDeque::new(),
            delivered: None,
            retained_bytes: 0,
        }
    }

    /// Ready while something has come that was not acted on.
    pub(crate) fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let mut connection = self.outlet.poll_ready(cx);
        if self.go_on() {
            connection = self.outlet.poll_ready(cx);
        }
        let job = self.job.poll_ready(cx);
        if connection.is_pending() && job.is_pending() && self.delivered.is_none() {
            return Poll::Pending;
        }
        Poll::Ready(())
    }

    /// Has the next request follow a delivered one. False when there is none, or the pace holds it back.
    fn go_on(&mut self) -> bool {
        let ended = self.outlet.connection.ended();
        let is_delivery = matches!(ended, Some(Ended::Work(Outcome::Delivered(_))));
        let may = is_delivery && self.delivered.is_none() && self.outlet.next_due().is_none();
        if !may || self.prepared.len() < 2 {
            return false;
        }
        if let Some(Ended::Work(Outcome::Delivered(note))) = self.outlet.connection.take_ended() {
            self.delivered = self.resolve().map(|members| (members, note));
        }
        self.begin();
        true
    }

    /// Acts on what has come, prepares and sends. True when there is more to prepare at once.
    pub(crate) fn advance(&mut self, turn: &mut Turn<'_>) -> bool {
        if let Some((members, note)) = self.delivered.take() {
            turn.delivered(members, note);
        }
        if let Some(outcome) = self.outlet.take_done(turn.now) {
            self.answered(outcome, turn);
        }
        if let Some(packed) = self.job.take() {
            self.packed(packed, turn);
        }
        self.complete_flush();
        if !self.outlet.may_begin(turn.now) {
            return false;
        }
        self.outlet.setbacks.pace.begin();
        if self.send(turn) {
            // It begins when the driver is next waited on, and more is prepared while it is out.
            return self.may_prepare();
        }
        let more = self.prepare(turn);
        self.send(turn);
        self.complete_flush() || more
    }

    /// Sends the first request, unless one is out. True when one begins.
    fn send(&mut self, turn: &mut Turn<'_>) -> bool {
        if !self.outlet.connection.is_idle() || self.outlet.setbacks.pace.holds(turn.now) {
            return false;
        }
        let Some(unit) = self.prepared.front() else {
            return false;
        };
        turn.retried += u64::from(unit.attempts > 0);
        self.begin();
        true
    }

    fn begin(&mut self) {
        let Some(unit) = self.prepared.front_mut() else {
            return;
        };
        unit.attempts = unit.attempts.saturating_add(1);
        unit.failed = false;
        let request = Arc::clone(&unit.request);
        self.outlet.connection.begin(|mut sink| {
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
                    turn.rejected(members, &self.outlet.plan.rejected, rejection.message.as_str());
                }
                return;
            }
        };
        if let Some(unit) = self.prepared.front_mut() {
            unit.failed = true;
            self.outlet.setbacks.failed(unit.id, &failure, turn.now);
        }
    }

    /// The first request has its outcome.
    fn resolve(&mut self) -> Option<Members> {
        let unit = self.prepared.pop_front()?;
        self.retained_bytes -= unit.size;
        self.outlet.setbacks.trouble.resolved(unit.id);
        self.outlet.lanes.leave(&unit.members.lane);
        Some(unit.members)
    }

    /// A flush has completed when each of its requests has its outcome. True when another one begins.
    fn complete_flush(&mut self) -> bool {
        let is_at_rest = self.is_at_rest();
        self.flushes.complete(is_at_rest, &mut self.outlet.setbacks.pace)
    }

    /// Whether nothing of the flush under way is being prepared, waits or is out.
    fn is_at_rest(&self) -> bool {
        self.job.is_idle() && self.prepared.is_empty()
    }

    /// Whether it holds no member.
    pub(crate) fn is_empty(&self) -> bool {
        self.delivered.is_none() && self.is_at_rest() && self.flushes.is_empty()
    }

    pub(crate) fn retention(&self) -> Retention {
        Retention {
            units: self.prepared.len(),
            bytes: self.retained_bytes,
            awaiting_retry: usize::from(self.prepared.front().is_some_and(|unit| unit.failed)),
            lanes: self.outlet.lanes.len(),
        }
    }
}

fn request_sink(sink: OpenSink) -> Option<Box<dyn RequestSink>> {
    match sink {
        OpenSink::Requests(sink) => Some(sink),
        _ => None,
    }
}
