//! The driver of payload sinks: brokers, sockets, telemetry (`emitters.txt`, Publishing modes, Batch payloads and Broker and
//! message emitters).
//!
//! Flushes are published one after the other, and what was released while one is under way is the next: records are packed
//! in arrival order, the window is filled, confirmations are taken as they come, and the flush has completed when all of
//! it is delivered or rejected. A failure paces the whole
//! emitter: what is out is awaited, then the unresolved payloads are sent again, in order and byte for byte, before
//! anything newer. There is no last attempt. Lanes have no windows of their own here: a flush completes when every record
//! of it has been confirmed (`emitters.txt`, Publishing modes), so one that waits for its retry holds up the next flush in
//! any case, and what is out is awaited by ACK TIMEOUT at the latest. Head of line by lane is the session driver's (rulings
//! section 9).
//!
//! Invariants: each member leaves in one verdict; at most one write, flush or job is under way; no more payloads are kept
//! encoded than the window has, and as many again that are ready for it. Nothing here blocks: an encoder that needs time
//! works beside the task.

mod leftover;
mod outstanding;
mod packing;

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::FutureExt;
use futures::StreamExt;
use futures::future::{AbortHandle, Abortable, BoxFuture};
use futures::stream::FuturesUnordered;
use nervix_clock::PhysicalInstant;
use nervix_sink::{Confirmation, Failure, FailureKind, Note, OpenSink, Outcome, Payload, PayloadSink};
use nspl_model::DurationText;

use crate::carrier::Members;
use crate::open::Opener;
use crate::plan::{Completion, Plan};
use crate::publish::Retention;
use crate::publish::codec_job::CodecJob;
use crate::publish::flushes::Flushes;
use crate::publish::outlet::Outlet;
use crate::publish::turn::Turn;
pub use leftover::LEFTOVER_MAX;
pub(crate) use leftover::Leftover;
use outstanding::{Outstanding, State, Step};

/// Payloads of one write at most, and answers that are taken at once.
const WRITE_MAX: usize = 1_024;
/// Payloads that are made ahead of the window at most.
const READY_MAX: usize = 1_024;

/// Drives one payload sink.
pub(crate) struct PayloadDriver {
    pub(crate) outlet: Outlet<dyn PayloadSink, Done>,
    pub(crate) flushes: Flushes,
    /// Packing that an extension worker does.
    job: CodecJob,
    outstanding: Outstanding<Unit>,
    confirmations: FuturesUnordered<Abortable<Answer>>,
    /// When ACK TIMEOUT passes for what is out, in the order of the writes; stale entries are passed over.
    timeouts: VecDeque<(PhysicalInstant, Attempt)>,
    /// Answers that have come and are not acted on yet.
    answers: Vec<(Attempt, Outcome)>,
    /// Whether the client has said that it holds nothing more of what it took.
    drained: bool,
    /// When a client that does, while confirmations are out, is asked again to finish.
    asked_again: Option<PhysicalInstant>,
    retained_bytes: u64,
}

/// A payload with its members.
struct Unit {
    payload: Arc<Payload>,
    members: Members,
    note: Option<Note>,
    /// Ends the wait for the confirmation of the last attempt.
    awaited: Option<AbortHandle>,
}

/// One attempt of one payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Attempt {
    sequence: u64,
    number: u32,
}

/// The answer to one attempt.
type Answer = BoxFuture<'static, (Attempt, Outcome)>;

/// What the sink has done.
pub(crate) enum Done {
    Written(Vec<Attempt>, Vec<Confirmation>),
    Flushed(Result<(), Failure>),
    Drained(Result<(), Failure>),
}

impl PayloadDriver {
    pub(crate) fn new(plan: Arc<Plan>, opener: Arc<dyn Opener>) -> Self {
        let flushed = plan.completion == Completion::Accepted;
        Self {
            flushes: Flushes::joined(),
            job: CodecJob::default(),
            outstanding: Outstanding::new(plan.window, flushed),
            confirmations: FuturesUnordered::new(),
            timeouts: VecDeque::new(),
            answers: Vec::new(),
            drained: false,
            asked_again: None,
            retained_bytes: 0,
            outlet: Outlet::new(plan, opener, payload_sink),
        }
    }

    /// Ready while something has come that was not acted on.
    pub(crate) fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let connection = self.outlet.poll_ready(cx);
        let job = self.job.poll_ready(cx);
        while self.answers.len() < WRITE_MAX
            && let Poll::Ready(Some(answer)) = self.confirmations.poll_next_unpin(cx)
        {
            // One that was given up says nothing.
            self.answers.extend(answer.ok());
        }
        if connection.is_pending() && job.is_pending() && self.answers.is_empty() {
            return Poll::Pending;
        }
        Poll::Ready(())
    }

    /// Acts on what has come, packs and sends. True when there is more to pack at once.
    pub(crate) fn advance(&mut self, turn: &mut Turn<'_>) -> bool {
        if let Some(done) = self.outlet.take_done(turn.now) {
            self.done(done, turn);
        }
        for (attempt, outcome) in std::mem::take(&mut self.answers) {
            self.answered(attempt, outcome, turn);
        }
        self.time_out(turn.now);
        self.asked_again = self.asked_again.filter(|due| *due > turn.now);
        if let Some(packed) = self.job.take() {
            self.packed(packed, turn);
        }
        self.complete_flush();
        if !self.outlet.may_begin(turn.now) {
            return false;
        }
        if self.outstanding.count(State::Failed) == 0 {
            self.outlet.setbacks.pace.begin();
        }
        let more = self.pack(turn);
        self.send(turn);
        self.complete_flush() || more
    }

    /// Begins what the sink may do next.
    fn send(&mut self, turn: &Turn<'_>) {
        if !self.outlet.connection.is_idle() || self.outlet.setbacks.pace.holds(turn.now) {
            return;
        }
        match self.outstanding.next(WRITE_MAX) {
            Step::Nothing => {}
            Step::Flush => self.outlet.connection.begin(|mut sink| {
                let flush = async move {
                    let flushed = sink.flush().await;
                    (sink, Done::Flushed(flushed))
                };
                flush.boxed()
            }),
            Step::Send(sequences) => self.write(&sequences),
            Step::Resend(sequences) => {
                self.outlet.setbacks.pace.begin();
                self.write(&sequences);
            }
        }
    }

    fn write(&mut self, sequences: &[u64]) {
        (self.drained, self.asked_again) = (false, None);
        let mut attempts = Vec::with_capacity(sequences.len());
        let mut payloads = Vec::with_capacity(sequences.len());
        for sequence in sequences {
            if let Some((number, unit)) = self.outstanding.send(*sequence) {
                if let Some(awaited) = unit.awaited.take() {
                    awaited.abort();
                }
                attempts.push(Attempt {
                    sequence: *sequence,
                    number,
                });
                payloads.push(Arc::clone(&unit.payload));
            }
        }
        self.outlet.connection.begin(|mut sink| {
            let write = async move {
                let confirmations = sink.publish(&payloads).await;
                (sink, Done::Written(attempts, confirmations))
            };
            write.boxed()
        });
    }

    fn done(&mut self, done: Done, turn: &mut Turn<'_>) {
        match done {
            Done::Written(attempts, confirmations) => self.written(attempts, confirmations, turn),
            Done::Flushed(Ok(())) => {
                let accepted: Vec<u64> = self.outstanding.in_state(State::Accepted).collect();
                for sequence in accepted {
                    if let Some(unit) = self.resolve(sequence) {
                        turn.delivered(unit.members, unit.note);
                    }
                }
            }
            Done::Flushed(Err(failure)) => {
                let accepted: Vec<u64> = self.outstanding.in_state(State::Accepted).collect();
                for sequence in accepted {
                    self.fail(sequence, &failure, turn.now);
                }
            }
            Done::Drained(Ok(())) => {
                self.drained = true;
                self.outlet.setbacks.trouble.lifted();
            }
            // Nothing has failed: what is out has its own time, and more is sent beside it.
            Done::Drained(Err(_)) if self.outstanding.count(State::Out) > 0 => {
                self.asked_again = Some(turn.now.after(self.outlet.plan.retry.backoff));
            }
            Done::Drained(Err(failure)) => self.outlet.setbacks.stands(&failure, turn.now),
        }
    }

    /// Awaits the confirmations of a write; what the sink did not take comes again.
    fn written(&mut self, attempts: Vec<Attempt>, confirmations: Vec<Confirmation>, turn: &mut Turn<'_>) {
        let mut confirmations = confirmations.into_iter();
        let first = attempts.first().map(|attempt| attempt.sequence);
        let takes_nothing = confirmations.len() == 0;
        for attempt in attempts {
            let Some(mut confirmation) = confirmations.next() else {
                self.outstanding.leave(attempt.sequence);
                continue;
            };
            turn.retried += u64::from(attempt.number > 1);
            if self.outlet.plan.completion == Completion::Accepted
                && let Some(outcome) = (&mut confirmation).now_or_never()
            {
                self.answered(attempt, outcome, turn);
                continue;
            }
            let answer: Answer = confirmation.map(move |outcome| (attempt, outcome)).boxed();
            let (answer, handle) = futures::future::abortable(answer);
            self.confirmations.push(answer);
            if let Some(unit) = self.outstanding.get_mut(attempt.sequence) {
                unit.awaited = Some(handle);
            }
            if let Completion::Confirmed {
                timeout: Some(timeout),
            } = self.outlet.plan.completion
            {
                self.timeouts.push_back((turn.now.after(timeout), attempt));
            }
        }
        if let Some(first) = first.filter(|_| takes_nothing && self.outstanding.count(State::Out) == 0) {
            // Against the contract; without a wait it would be asked for ever.
            let failure = Failure::new(FailureKind::Unavailable, "the sink takes nothing");
            self.fail(first, &failure, turn.now);
        }
    }

    fn answered(&mut self, attempt: Attempt, outcome: Outcome, turn: &mut Turn<'_>) {
        let Attempt { sequence, number } = attempt;
        let Some((state, _)) = self
            .outstanding
            .state(sequence)
            .filter(|(_, last)| *last == number)
        else {
            return;
        };
        match outcome {
            Outcome::Delivered(note) if self.outlet.plan.completion == Completion::Accepted => {
                self.outstanding.accept(sequence);
                if let Some(unit) = self.outstanding.get_mut(sequence) {
                    unit.note = note;
                }
            }
            Outcome::Delivered(note) => {
                if let Some(unit) = self.resolve(sequence) {
                    turn.delivered(unit.members, note);
                }
            }
            Outcome::Rejected(rejection) => {
                if let Some(unit) = self.resolve(sequence) {
                    turn.rejected(
                        unit.members,
                        &self.outlet.plan.rejected,
                        rejection.message.as_str(),
                    );
                }
            }
            // One that came too late changes nothing.
            Outcome::Unresolved(failure) if state == State::Out => self.fail(sequence, &failure, turn.now),
            Outcome::Unresolved(_) => {}
        }
    }

    /// ACK TIMEOUT is ambiguous: the payload is kept. Its answer still counts until it is sent again.
    fn time_out(&mut self, now: PhysicalInstant) {
        while let Some((due, attempt)) = self.timeouts.front().copied() {
            let Attempt { sequence, number } = attempt;
            let awaits = self.outstanding.state(sequence) == Some((State::Out, number));
            if awaits && due > now {
                return;
            }
            self.timeouts.pop_front();
            if let Completion::Confirmed {
                timeout: Some(timeout),
            } = self.outlet.plan.completion
                && awaits
            {
                let message = format!(
                    "no confirmation came within ACK TIMEOUT {}",
                    DurationText(timeout)
                );
                self.fail(sequence, &Failure::new(FailureKind::TimedOut, message), now);
            }
        }
    }

    fn fail(&mut self, sequence: u64, failure: &Failure, now: PhysicalInstant) {
        if let Some(unit) = self.outstanding.fail(sequence) {
            self.outlet.setbacks.failed(unit.payload.id, failure, now);
        }
    }

    fn resolve(&mut self, sequence: u64) -> Option<Unit> {
        let unit = self.outstanding.resolve(sequence)?;
        self.retained_bytes -= unit.payload.size_bytes();
        self.outlet.setbacks.trouble.resolved(unit.payload.id);
        self.outlet.lanes.leave(&unit.members.lane);
        if let Some(awaited) = &unit.awaited {
            awaited.abort();
        }
        Some(unit)
    }

    /// A flush has completed when nothing of it waits or is out. True when another one begins.
    fn complete_flush(&mut self) -> bool {
        let is_at_rest = self.is_at_rest();
        self.flushes.complete(is_at_rest, &mut self.outlet.setbacks.pace)
    }

    /// Whether nothing of the flush under way is packed or out.
    fn is_at_rest(&self) -> bool {
        self.job.is_idle() && self.outstanding.is_empty()
    }

    /// When ACK TIMEOUT passes, or the wait of the pace is over.
    pub(crate) fn next_due(&self) -> Option<PhysicalInstant> {
        let timeout = self.timeouts.front().map(|(due, _)| *due);
        let due = [timeout, self.asked_again, self.outlet.next_due()];
        due.into_iter().flatten().min()
    }

    /// Whether the client holds nothing that it took and did not send; asks it to finish while nothing else is asked of it.
    pub(crate) fn finish(&mut self, now: PhysicalInstant) -> bool {
        if self.drained || self.outlet.connection.is_unopened() {
            return true;
        }
        let asked = self.asked_again.is_some() && self.outstanding.count(State::Out) > 0;
        let waits = asked || self.outlet.setbacks.pace.holds(now);
        if self.outlet.connection.is_idle() && !waits {
            self.outlet.setbacks.pace.begin();
            self.outlet.connection.begin(|mut sink| {
                let drain = async move {
                    let drained = sink.drain().await.map_err(|unsent| unsent.failure);
                    (sink, Done::Drained(drained))
                };
                drain.boxed()
            });
        }
        false
    }

    /// Gives up what is retained. What the client took in a mode without confirmations is left to be sent.
    pub(crate) fn close(self) -> Option<Leftover> {
        let counts = self.outlet.plan.completion == Completion::Accepted;
        (counts && !self.drained).then(|| Leftover::new(self.outlet.connection))
    }

    /// Whether it holds no member.
    pub(crate) fn is_empty(&self) -> bool {
        self.is_at_rest() && self.flushes.is_empty()
    }

    pub(crate) fn retention(&self) -> Retention {
        Retention {
            units: self.outstanding.len(),
            bytes: self.retained_bytes,
            awaiting_retry: self.outstanding.count(State::Failed),
            lanes: self.outlet.lanes.len(),
        }
    }
}

fn payload_sink(sink: OpenSink) -> Option<Box<dyn PayloadSink>> {
    match sink {
        OpenSink::Payload(sink) => Some(sink),
        _ => None,
    }
}
