//! What the producer holds, and what was reported of it.
//!
//! Invariants: a record stands here from before it is handed to the producer until it is reported; an answer that nobody
//! takes is kept until the record is asked for again, if it is a final one. A record counts as alone in its
//! request when the producer held no other at any time while it held this one.

use std::collections::HashMap;

use nervix_budget::Held;
use nervix_sink::{BoundedText, Failure, FailureKind, Outcome, PayloadId, Rejection};
use parking_lot::Mutex;
use rdkafka::error::RDKafkaErrorCode;
use tokio::sync::{Notify, oneshot};

use crate::answer::{Verdict, Way, verdict, way};
use crate::requests::Requests;

/// Of one producer.
#[derive(Debug, Default)]
pub(crate) struct Reports {
    state: Mutex<State>,
    emptied: Notify,
}

#[derive(Debug, Default)]
struct State {
    records: HashMap<PayloadId, Record>,
    in_producer: usize,
    /// The record that is alone in the producer, and has been since it came.
    sole: Option<PayloadId>,
    /// What refusals of requests as a whole have taught.
    requests: Requests,
    /// What was told last of some connection.
    hint: Option<Hint>,
    /// Whether a record was delivered since all brokers were away: then one that cannot be used bars no way.
    delivers: bool,
    /// Why no broker can be used, until a record is delivered.
    trouble: Option<Failure>,
}

/// What was told of a connection.
#[derive(Debug)]
struct Hint {
    text: BoundedText,
    kind: FailureKind,
}

#[derive(Debug)]
enum Record {
    InProducer {
        bytes: usize,
        /// The part of the budget that the producer's copy takes.
        _held: Held,
        listener: Listener,
    },
    /// It was answered, and nobody has taken that yet.
    Settled(Outcome),
}

/// Who waits for the answer.
#[derive(Debug)]
enum Listener {
    /// Nobody ever: MODE NO_ACK.
    None,
    /// Nobody now, since the attempt is over.
    Gone,
    /// This one.
    Waits(oneshot::Sender<Outcome>),
}

/// The answer to a record that the producer holds.
pub(crate) type Answer = oneshot::Receiver<Outcome>;

/// What is known of a record that is sent again.
#[derive(Debug)]
pub(crate) enum Known {
    /// The producer has nothing of it.
    Nothing,
    /// The producer still holds it: its answer.
    InProducer(Answer),
    /// It has been answered meanwhile.
    Settled(Outcome),
}

impl Reports {
    /// Takes over what those of the producer before found out for good.
    pub(crate) fn succeed(&self, before: &Self) {
        let (records, requests) = {
            let mut before = before.state.lock();
            (
                std::mem::take(&mut before.records),
                std::mem::take(&mut before.requests),
            )
        };
        let settled = records.into_iter();
        let settled = settled.filter(|(_, record)| matches!(record, Record::Settled(_)));
        let mut state = self.state.lock();
        state.records.extend(settled);
        state.requests = requests;
    }

    /// A record is about to be handed over, and its answer is awaited.
    pub(crate) fn enter_awaited(&self, id: PayloadId, bytes: usize, held: Held) -> Answer {
        let (sender, answer) = oneshot::channel();
        self.state.lock().enter(id, bytes, held, Listener::Waits(sender));
        answer
    }

    /// A record is about to be handed over, and nobody awaits its answer.
    pub(crate) fn enter(&self, id: PayloadId, bytes: usize, held: Held) {
        self.state.lock().enter(id, bytes, held, Listener::None);
    }

    /// It was not taken.
    pub(crate) fn withdraw(&self, id: PayloadId) {
        let mut state = self.state.lock();
        if let Some(Record::InProducer { .. }) = state.records.remove(&id) {
            state.left(id);
            self.tell_if_empty(&state);
        }
    }

    /// What is known of a record that is sent again; who waited for it before does not any more.
    pub(crate) fn resume(&self, id: PayloadId) -> Known {
        let mut state = self.state.lock();
        match state.records.remove(&id) {
            None => Known::Nothing,
            Some(Record::Settled(outcome)) => Known::Settled(outcome),
            Some(Record::InProducer { bytes, _held, .. }) => {
                let (sender, answer) = oneshot::channel();
                let record = Record::InProducer {
                    bytes,
                    _held,
                    listener: Listener::Waits(sender),
                };
                state.records.insert(id, record);
                Known::InProducer(answer)
            }
        }
    }

    /// The answer to a record was taken, which may come and not be looked at before its attempt is given up.
    pub(crate) fn heard(&self, id: PayloadId) {
        let mut state = self.state.lock();
        if let Some(Record::Settled(_)) = state.records.get(&id) {
            state.records.remove(&id);
        }
    }

    /// Whether a write goes alone, since requests were refused as a whole.
    pub(crate) fn is_bounded(&self) -> bool {
        self.state.lock().requests.is_bounded()
    }

    /// The most bytes of the next write, when all of the one before was answered; it goes alone then.
    pub(crate) fn next_bound(&self) -> Option<usize> {
        self.state.lock().requests.next_bound()
    }

    /// How many records the producer holds.
    pub(crate) fn in_producer(&self) -> usize {
        self.state.lock().in_producer
    }

    /// Why no broker can be used now.
    pub(crate) fn trouble(&self) -> Option<Failure> {
        self.state.lock().trouble.clone()
    }

    /// What was told last of the way to the brokers, to be added to a sentence.
    pub(crate) fn hint(&self) -> String {
        self.state.lock().hinted()
    }

    /// Ends when the producer holds nothing.
    pub(crate) async fn emptied(&self) {
        loop {
            let mut emptied = std::pin::pin!(self.emptied.notified());
            emptied.as_mut().enable();
            if self.in_producer() == 0 {
                return;
            }
            emptied.await;
        }
    }

    /// Ends an attempt whose record the producer still holds while there is trouble: it is told of that. None when there is
    /// none, or the answer has come.
    pub(crate) fn tell(&self, id: PayloadId) -> Option<Outcome> {
        let mut state = self.state.lock();
        let trouble = state.trouble.clone()?;
        match state.records.get_mut(&id) {
            Some(Record::InProducer { listener, .. }) => {
                *listener = Listener::Gone;
                Some(Outcome::Unresolved(trouble))
            }
            _ => None,
        }
    }

    /// A record was delivered, or not.
    pub(crate) fn report(&self, id: PayloadId, result: Result<(), RDKafkaErrorCode>) {
        let mut state = self.state.lock();
        let Some(Record::InProducer { bytes, listener, .. }) = state.records.remove(&id) else {
            return;
        };
        let was_alone = state.left(id);
        if result.is_ok() {
            state.trouble = None;
            state.hint = None;
            state.delivers = true;
        }
        let waiting = match listener {
            Listener::None => return self.tell_if_empty(&state),
            Listener::Gone => None,
            Listener::Waits(sender) => Some(sender),
        };
        let outcome = state.judge(result, (bytes, was_alone));
        if let Outcome::Delivered(_) | Outcome::Rejected(_) = outcome {
            state.records.insert(id, Record::Settled(outcome.clone()));
        }
        if let Some(Err(unheard)) = waiting.map(|waiting| waiting.send(outcome)) {
            // The attempt is over; what is final stands here.
            drop(unheard);
        }
        self.tell_if_empty(&state);
    }

    fn tell_if_empty(&self, state: &State) {
        if state.in_producer == 0 {
            self.emptied.notify_waiters();
        }
    }

    /// Something was told that belongs to no record. When it bars the way to all brokers, what waits is told of it; the
    /// producer still holds it.
    pub(crate) fn error(&self, code: RDKafkaErrorCode, reason: &str) {
        let mut state = self.state.lock();
        let mut kind = verdict(code).trouble();
        match &state.hint {
            // The summary comes after what it sums up.
            Some(known) if code == RDKafkaErrorCode::AllBrokersDown => kind = known.kind,
            _ => {
                let text = BoundedText::new(reason);
                state.hint = Some(Hint { text, kind });
            }
        }
        match way(code) {
            Way::Barred => state.delivers = false,
            Way::BarredToOne if !state.delivers => {}
            Way::BarredToOne | Way::Open => return,
        }
        let failure = Failure::new(kind, format!("Kafka cannot be used{}", state.hinted()));
        for record in state.records.values_mut() {
            if let Record::InProducer { listener, .. } = record
                && let Listener::Waits(sender) = std::mem::replace(listener, Listener::Gone)
                && let Err(unheard) = sender.send(Outcome::Unresolved(failure.clone()))
            {
                // The attempt was over.
                drop(unheard);
            }
        }
        state.trouble = Some(failure);
    }
}

impl State {
    fn enter(&mut self, id: PayloadId, bytes: usize, held: Held, listener: Listener) {
        self.sole = (self.in_producer == 0).then_some(id);
        self.in_producer += 1;
        let record = Record::InProducer {
            bytes,
            _held: held,
            listener,
        };
        self.records.insert(id, record);
    }

    /// The producer does not hold it any more. True when it was alone there.
    fn left(&mut self, id: PayloadId) -> bool {
        self.in_producer = self.in_producer.saturating_sub(1);
        let was_alone = self.sole == Some(id);
        if was_alone {
            self.sole = None;
        }
        was_alone
    }

    fn judge(&mut self, result: Result<(), RDKafkaErrorCode>, (bytes, was_alone): (usize, bool)) -> Outcome {
        let Err(code) = result else {
            self.requests.passed(bytes);
            return Outcome::DELIVERED;
        };
        let verdict = verdict(code);
        match verdict {
            Verdict::RequestRefused if was_alone => {
                self.requests.refused_alone();
                return Outcome::Rejected(Rejection::new(format!(
                    "kafka rejected record: the Kafka broker refuses a record of {bytes} bytes: {code}"
                )));
            }
            Verdict::RequestRefused | Verdict::NeighbourRefused if !was_alone => {
                self.requests.refused(bytes);
                let message = format!(
                    "Kafka broker refused a request of several records, which are sent again in smaller ones: {code}"
                );
                return Outcome::Unresolved(Failure::new(FailureKind::RefusedTogether, message));
            }
            _ => {}
        }
        let message = format!("Kafka record was not delivered: {code}{}", self.hinted());
        Outcome::Unresolved(Failure::new(verdict.trouble(), message))
    }

    fn hinted(&self) -> String {
        self.hint
            .as_ref()
            .map_or_else(String::new, |hint| format!(": {}", hint.text))
    }
}

#[cfg(test)]
mod tests;
