//! The exchange as a pure machine: events and instants go in, events for consumers and answers for the emitter come out.
//!
//! Invariants: an attempt is live from its assignment until the first answer to it, its timeout, or a revocation,
//! whichever comes first, and the emitter gets exactly one answer for each offer that is not closed. A consumer sees the
//! delivery of an attempt before anything else about it. Nothing here waits, locks or reads a clock.

mod passed_over;
mod status;

#[cfg(test)]
mod property_tests;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::time::Duration;

use ahash::AHashMap;
use nervix_sink::{Failure, FailureKind, Offer, Outcome, Rejection, RevokeReason, SessionAnswer};

use crate::consumers::{Consumer, ConsumerId, Consumers, Outgoing};
use crate::event::{AnswerResult, Delivery, EndReason, RevokedReason, SessionEvent};
use crate::lanes::{Lanes, Turn};
use crate::reference::References;
use crate::results::Results;
use passed_over::{PassedOver, Room, Withheld};

/// How many outcomes a consumer may leave unread before its further answers wait. Answers to live attempts do not wait:
/// each takes the place of a delivery, of which credit and bytes bound how many there are.
pub const UNREAD_OUTCOMES_MAX: usize = 16_384;

/// `error.message` of a reject that gives no reason.
const NO_REASON: &str = "rejected by the application";

/// What an application says about an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Answer {
    Ack,
    Retry,
    Reject { reason: String },
}

impl Answer {
    fn result(&self) -> AnswerResult {
        match self {
            Self::Ack => AnswerResult::Confirmed,
            Self::Retry => AnswerResult::Retrying,
            Self::Reject { .. } => AnswerResult::Rejected,
        }
    }
}

/// An attempt that a consumer holds.
#[derive(Debug)]
struct Live<I> {
    consumer: ConsumerId,
    offer: Offer,
    assigned: I,
    expires: I,
    read: bool,
}

/// Numbers of a session that stay over restarts of the emitter.
#[derive(Debug, Default, Clone, Copy)]
struct Counts {
    acks: u64,
    rejections: u64,
    retries_asked: u64,
    timeouts: u64,
    lost: u64,
    stale: u64,
}

/// The exchange of one emitter; `I` is an instant of the physical clock.
#[derive(Debug)]
pub(crate) struct Machine<I> {
    references: References,
    consumers: Consumers,
    lanes: Lanes,
    passed_over: Option<PassedOver<I>>,
    live: AHashMap<u64, Live<I>>,
    deadlines: BTreeSet<(I, u64)>,
    results: Results,
    answers: VecDeque<SessionAnswer>,
    touched: Vec<ConsumerId>,
    counts: Counts,
}

impl<I: Copy + Ord> Machine<I> {
    /// `random` tells the refs of this exchange from those of any other; `consumer_bytes` bounds what one consumer holds.
    pub(crate) fn new(random: u64, consumer_bytes: u64) -> Self {
        Self {
            references: References::new(random),
            consumers: Consumers::new(consumer_bytes),
            lanes: Lanes::default(),
            passed_over: None,
            live: AHashMap::new(),
            deadlines: BTreeSet::new(),
            results: Results::default(),
            answers: VecDeque::new(),
            touched: Vec::new(),
            counts: Counts::default(),
        }
    }

    pub(crate) fn connect(&mut self, forwarded: bool) -> ConsumerId {
        self.consumers.connect(forwarded)
    }

    pub(crate) fn grant(&mut self, consumer: ConsumerId, batches: u32) {
        self.consumers.grant(consumer, batches);
    }

    /// Any message of a consumer ends its suspension.
    pub(crate) fn heard(&mut self, consumer: ConsumerId) {
        self.consumers.heard(consumer);
    }

    /// Handles one answer of a consumer; the first answer to a live attempt wins.
    pub(crate) fn answer(&mut self, consumer: ConsumerId, reference: String, answer: Answer) {
        self.consumers.heard(consumer);
        let number = self.references.read(&reference);
        let result = match number {
            Some(number) if self.live.contains_key(&number) => {
                let result = answer.result();
                self.results.keep(number, result);
                self.resolve(number, answer);
                result
            }
            Some(number) => self.results.outcome(number, answer.result()),
            None => AnswerResult::Stale,
        };
        if result == AnswerResult::Stale {
            self.counts.stale += 1;
        }
        self.tell_fate(consumer, SessionEvent::Outcome { reference, result });
    }

    /// The application closed its side: what it holds is revoked, what it has to be told is told, then its stream ends.
    pub(crate) fn half_close(&mut self, consumer: ConsumerId) {
        self.finish(consumer, EndReason::HalfClosed);
    }

    /// The stream is gone: all that it held is revoked.
    pub(crate) fn disconnect(&mut self, consumer: ConsumerId) {
        self.lose_all_of(
            consumer,
            FailureKind::PeerLost,
            "the consumer of a delivery went without an answer",
        );
        self.consumers.remove(consumer);
    }

    /// The server ends every stream.
    pub(crate) fn end(&mut self, reason: &EndReason) {
        for consumer in self.consumers.ids() {
            self.finish(consumer, reason.clone());
        }
    }

    /// The next event for a consumer.
    pub(crate) fn take_event(&mut self, id: ConsumerId) -> Option<SessionEvent> {
        let consumer = self.consumers.get_mut(id)?;
        if let Some(fate) = consumer.fates.pop_front() {
            return Some(fate);
        }
        let Outgoing { delivers, event } = consumer.outbox.pop_front()?;
        if let SessionEvent::Deliver(delivery) = &event {
            match delivers.and_then(|number| self.live.get_mut(&number)) {
                Some(live) => live.read = true,
                None => consumer.held_bytes -= delivery.payload.size_bytes(),
            }
        }
        Some(event)
    }

    /// Whether an answer of this consumer to this attempt has to wait until it reads.
    pub(crate) fn must_read_first(&mut self, id: ConsumerId, reference: &str) -> bool {
        let number = self.references.read(reference);
        let live = number.is_some_and(|number| self.live.contains_key(&number));
        let full = |consumer: &mut Consumer| consumer.fates.len() >= UNREAD_OUTCOMES_MAX;
        !live && self.consumers.get_mut(id).is_some_and(full)
    }

    /// Takes an offer of the emitter in.
    pub(crate) fn offer(&mut self, offer: Offer) {
        self.lanes.offer(offer);
    }

    /// The next answer for the emitter.
    pub(crate) fn take_answer(&mut self) -> Option<SessionAnswer> {
        self.answers.pop_front()
    }

    pub(crate) fn has_answers(&self) -> bool {
        !self.answers.is_empty()
    }

    /// The emitter goes: everything offered or assigned is taken back, and no answer follows. Streams stay.
    pub(crate) fn close(&mut self, reason: RevokeReason) {
        let reason = match reason {
            RevokeReason::Stopped => RevokedReason::Stopped,
            RevokeReason::Changed => RevokedReason::Changed,
        };
        let mut numbers: Vec<u64> = self.live.keys().copied().collect();
        numbers.sort_unstable();
        for number in numbers {
            if let Some(live) = self.unassign(number) {
                self.tell_revoked(number, &live, reason);
            }
        }
        self.lanes.clear();
        self.passed_over = None;
        self.answers.clear();
    }

    /// Assigns what can be assigned; `after` tells instants from `now` on.
    pub(crate) fn assign(&mut self, now: I, after: impl Fn(Duration) -> I, ack_timeout: Duration) {
        let (expires, upcoming) = (after(ack_timeout), self.references.upcoming());
        if let Some(passed_over) = &mut self.passed_over {
            passed_over.let_go(now, upcoming);
        }
        while let Some((id, offer)) = self.next_assignment(&after) {
            let bytes = offer.payload.size_bytes();
            let number = self.references.number();
            let delivery = self.delivery(number, &offer, ack_timeout);
            if let Some(consumer) = self.consumers.get_mut(id) {
                consumer.credit -= 1;
                consumer.held_bytes += bytes;
                consumer.take_in(number, offer.payload.lane.id);
            }
            self.live.insert(
                number,
                Live {
                    consumer: id,
                    offer,
                    assigned: now,
                    expires,
                    read: false,
                },
            );
            self.deadlines.insert((expires, number));
            self.tell(id, Some(number), SessionEvent::Deliver(delivery));
        }
    }

    /// A payload and who takes it. A payload that no consumer has room for has the first turn as long as it waits; see
    /// [`PassedOver`] for how long others may pass it.
    fn next_assignment(&mut self, after: impl Fn(Duration) -> I) -> Option<(ConsumerId, Offer)> {
        let first = self.lanes.first()?;
        if let Some(id) = self.consumers.take_turn(first.bytes, None) {
            self.passed_over = None;
            return self.lanes.take(first).map(|offer| (id, offer));
        }
        // Where nobody has credit there is nobody to reserve, which says nothing of who will have room.
        let most = self.consumers.room(None)?;
        let withheld = self.withhold(first, after);
        let consumers = &self.consumers;
        let from = |lane| withheld.and_then(|withheld| withheld.from(|id| consumers.holds_of(id, lane)));
        let others = consumers.room(withheld.map(|withheld| withheld.consumer));
        let most = match withheld {
            Some(withheld) if withheld.is_barred() => others?,
            _ => most,
        };
        let room = |lane| from(lane).map_or(Some(most), |_| others);
        let fitting = self.lanes.first_within(most, room)?;
        let from = from(fitting.lane);
        let id = self.consumers.take_turn(fitting.bytes, from)?;
        if let Some(passed_over) = &mut self.passed_over {
            passed_over.pass(id);
        }
        self.lanes.take(fitting).map(|offer| (id, offer))
    }

    /// Who is not assigned everything now, so that it comes to have room for `first`, which nobody has.
    fn withhold(&mut self, first: Turn, after: impl Fn(Duration) -> I) -> Option<Withheld> {
        let payload = self.lanes.payload(first)?;
        let upcoming = self.references.upcoming();
        let known = self.passed_over.take().filter(|known| known.is_of(payload));
        let mut passed_over = known.unwrap_or_else(|| PassedOver::new(payload, upcoming));
        let room = RoomFor {
            bytes: first.bytes,
            consumers: &self.consumers,
            live: &self.live,
        };
        let withheld = passed_over.withhold(upcoming, &room, after);
        self.passed_over = Some(passed_over);
        withheld
    }

    /// Revokes the attempts whose time has passed and suspends their consumers.
    pub(crate) fn expire(&mut self, now: I) {
        while let Some((expires, number)) = self.deadlines.first().copied() {
            if expires > now {
                return;
            }
            let Some(live) = self.unassign(number) else { return };
            self.counts.timeouts += 1;
            if let Some(consumer) = self.consumers.get_mut(live.consumer) {
                consumer.suspended = true;
            }
            self.tell_revoked(number, &live, RevokedReason::Timeout);
            self.unresolved(
                live.offer,
                FailureKind::TimedOut,
                "a delivery was not answered within ACK TIMEOUT",
            );
        }
    }

    /// When the next attempt expires, or something may be assigned because time has passed.
    pub(crate) fn next_deadline(&self) -> Option<I> {
        let expires = self.deadlines.first().map(|(expires, _)| *expires);
        let until = self.passed_over.as_ref().and_then(PassedOver::until);
        expires.into_iter().chain(until).min()
    }

    /// The consumers that have something new to read since the last call.
    pub(crate) fn take_touched(&mut self) -> Vec<ConsumerId> {
        std::mem::take(&mut self.touched)
    }

    fn delivery(&self, number: u64, offer: &Offer, ack_timeout: Duration) -> Delivery {
        let payload = &offer.payload;
        Delivery {
            reference: self.references.name(number),
            batch: payload.id.to_string(),
            attempt: offer.attempt,
            source: payload.lane.source.clone(),
            branch: payload.lane.branch.clone(),
            rows: payload.rows,
            ack_timeout,
            payload: payload.clone(),
        }
    }

    fn resolve(&mut self, number: u64, answer: Answer) {
        let Some(live) = self.unassign(number) else { return };
        let outcome = match answer {
            Answer::Ack => {
                self.counts.acks += 1;
                Outcome::DELIVERED
            }
            Answer::Reject { reason } => {
                self.counts.rejections += 1;
                Outcome::Rejected(Rejection::new(if reason.is_empty() {
                    NO_REASON.to_owned()
                } else {
                    reason
                }))
            }
            Answer::Retry => {
                self.counts.retries_asked += 1;
                self.unresolved(
                    live.offer,
                    FailureKind::PeerAsked,
                    "an application asked to have a delivery again",
                );
                return;
            }
        };
        self.answers.push_back(SessionAnswer {
            payload: live.offer.payload.id,
            outcome,
        });
    }

    /// Ends an attempt on the side of its consumer; the delivery still counts there while it is unread.
    fn unassign(&mut self, number: u64) -> Option<Live<I>> {
        let live = self.live.remove(&number)?;
        self.deadlines.remove(&(live.expires, number));
        if let Some(consumer) = self.consumers.get_mut(live.consumer) {
            consumer.give_back(number, live.offer.payload.lane.id);
            if live.read {
                consumer.held_bytes -= live.offer.payload.size_bytes();
            }
        }
        Some(live)
    }

    fn unresolved(&mut self, offer: Offer, kind: FailureKind, message: &str) {
        let payload = &offer.payload;
        self.lanes.sent_away(payload.lane.id, payload.sequence);
        let outcome = Outcome::Unresolved(Failure::new(kind, message));
        self.answers.push_back(SessionAnswer {
            payload: payload.id,
            outcome,
        });
    }

    fn lose_all_of(&mut self, id: ConsumerId, kind: FailureKind, message: &str) {
        let held: Vec<u64> = match self.consumers.get_mut(id) {
            Some(consumer) => consumer.live.iter().copied().collect(),
            None => return,
        };
        for number in held {
            if let Some(live) = self.unassign(number) {
                self.counts.lost += 1;
                self.unresolved(live.offer, kind, message);
            }
        }
    }

    fn finish(&mut self, id: ConsumerId, reason: EndReason) {
        if self.consumers.get_mut(id).is_none_or(|consumer| consumer.closing) {
            return;
        }
        let message = "the stream of a delivery ended before an answer";
        self.lose_all_of(id, FailureKind::PeerLeft, message);
        if let Some(consumer) = self.consumers.get_mut(id) {
            consumer.closing = true;
            // What is said of a delivery that is never read goes with it.
            let mut unread = HashSet::new();
            consumer.outbox.retain(|outgoing| match &outgoing.event {
                SessionEvent::Deliver(delivery) => {
                    unread.insert(delivery.reference.clone());
                    false
                }
                SessionEvent::Revoked { reference, .. } => !unread.contains(reference),
                _ => true,
            });
            consumer.held_bytes = 0;
        }
        self.tell(id, None, SessionEvent::End(reason));
    }

    /// A delivery is revoked; where it is still unread, nothing is said of it before it is.
    fn tell_revoked(&mut self, number: u64, live: &Live<I>, reason: RevokedReason) {
        let reference = self.references.name(number);
        let revoked = SessionEvent::Revoked { reference, reason };
        match live.read {
            true => self.tell_fate(live.consumer, revoked),
            false => self.tell(live.consumer, None, revoked),
        }
    }

    fn tell_fate(&mut self, id: ConsumerId, event: SessionEvent) {
        if let Some(consumer) = self.consumers.get_mut(id) {
            consumer.fates.push_back(event);
            self.touched.push(id);
        }
    }

    fn tell(&mut self, id: ConsumerId, delivers: Option<u64>, event: SessionEvent) {
        if let Some(consumer) = self.consumers.get_mut(id) {
            consumer.outbox.push_back(Outgoing { delivers, event });
            self.touched.push(id);
        }
    }
}

/// Who has room for a payload of `bytes` bytes.
struct RoomFor<'a, I> {
    bytes: u64,
    consumers: &'a Consumers,
    live: &'a AHashMap<u64, Live<I>>,
}

impl<I> Room for RoomFor<'_, I> {
    fn is_eligible(&self, consumer: ConsumerId) -> bool {
        self.consumers.is_eligible(consumer)
    }

    fn holds_since(&self, consumer: ConsumerId, since: u64) -> bool {
        self.consumers.holds_since(consumer, since)
    }

    fn find_without(&self, since: u64) -> Option<ConsumerId> {
        let newer = |consumer: &Consumer| {
            let newer = consumer.live.range(since..);
            let live = newer.filter_map(|number| self.live.get(number));
            live.map(|live| live.offer.payload.size_bytes()).sum()
        };
        self.consumers.with_room(self.bytes, newer)
    }
}
