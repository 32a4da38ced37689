//! A broker: takes payloads, confirms, refuses, fails or stays silent about each as its script says.
//!
//! A fan-in broker is the same with several emitters open on it: what it received tells them apart by their labels.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use nervix_clock::PhysicalInstant;
use nervix_sink::{
    Confirmation, Failure, FailureKind, Header, LaneId, OpenError, OpenSink, Outcome, Payload, PayloadId,
    PayloadSink, Rejection, SinkClient, SinkContext, Unsent,
};
use nspl_model::EmitterDef;
use parking_lot::Mutex;
use tokio::sync::oneshot;

use crate::deed::Deed;

/// One attempt that reached the broker.
#[derive(Clone, PartialEq, Eq)]
pub struct Received {
    /// Name of the emitter.
    pub emitter: Arc<str>,
    /// The same over all attempts.
    pub id: PayloadId,
    /// Its lane.
    pub lane: LaneId,
    /// Key on the wire.
    pub key: Option<Bytes>,
    /// Position among the payloads of its emitter.
    pub sequence: u64,
    /// Members.
    pub rows: u32,
    /// Its bytes.
    pub bytes: Bytes,
    /// Its headers in written order.
    pub headers: Vec<Header>,
    /// Counts from 1.
    pub attempt: u32,
    /// What the broker did about it.
    pub deed: Deed,
}

impl fmt::Debug for Received {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} attempt {}", self.sequence, self.attempt)
    }
}

/// What a test says about each attempt.
type Script = Box<dyn FnMut(&Received) -> Deed + Send>;

/// The broker; clones share everything.
#[derive(Clone, Default)]
pub struct Broker {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    script: Option<Script>,
    received: Vec<Received>,
    attempts: BTreeMap<PayloadId, u32>,
    held: BTreeMap<PayloadId, oneshot::Sender<Outcome>>,
    refusals: Vec<Failure>,
    flushes: u64,
    flush_failures: Vec<Failure>,
    drains: u64,
    drain_failures: Vec<Failure>,
    opened: u64,
    writes: Vec<usize>,
    takes: Option<usize>,
    bytes_max: Option<u32>,
    closings: Vec<PhysicalInstant>,
    never_closes: bool,
}

impl Broker {
    /// A broker that takes everything.
    pub fn new() -> Self {
        Self::default()
    }

    /// From now on `script` decides what is done about each attempt.
    pub fn on_receipt(&self, script: impl FnMut(&Received) -> Deed + Send + 'static) {
        self.state.lock().script = Some(Box::new(script));
    }

    /// From now on its clients take this many payloads of a write at most; none: all.
    pub fn take_at_most(&self, payloads: Option<usize>) {
        self.state.lock().takes = payloads;
    }

    /// The next times that somebody opens a sink on it, it fails so.
    pub fn refuse_to_open(&self, failures: Vec<Failure>) {
        self.state.lock().refusals = failures;
    }

    /// The next flushes fail so; those after them end well.
    pub fn fail_flushes(&self, failures: Vec<Failure>) {
        self.state.lock().flush_failures = failures;
    }

    /// The next drains of a client fail so; those after them end well.
    pub fn fail_drains(&self, failures: Vec<Failure>) {
        self.state.lock().drain_failures = failures;
    }

    /// From now on its client knows a limit, and refuses what is above it without sending it.
    pub fn limit(&self, bytes_max: u32) {
        self.state.lock().bytes_max = Some(bytes_max);
    }

    /// From now on its client does not end when it is closed.
    pub fn never_close(&self) {
        self.state.lock().never_closes = true;
    }

    /// Until when its client was to be closed, each time.
    pub fn closings(&self) -> Vec<PhysicalInstant> {
        self.state.lock().closings.clone()
    }

    /// Answers an attempt that it holds. False when it holds none of this payload, or nobody waits for it any more.
    pub fn answer(&self, id: PayloadId, outcome: Outcome) -> bool {
        let held = self.state.lock().held.remove(&id);
        held.is_some_and(|held| held.send(outcome).is_ok())
    }

    /// The payloads that it holds, in no order that means anything.
    pub fn held(&self) -> Vec<PayloadId> {
        self.state.lock().held.keys().copied().collect()
    }

    /// Every attempt that reached it, in order.
    pub fn received(&self) -> Vec<Received> {
        self.state.lock().received.clone()
    }

    /// How many payloads of each write it took.
    pub fn writes(&self) -> Vec<usize> {
        self.state.lock().writes.clone()
    }

    /// How often a client was flushed.
    pub fn flushes(&self) -> u64 {
        self.state.lock().flushes
    }

    /// How often a client was asked to finish.
    pub fn drains(&self) -> u64 {
        self.state.lock().drains
    }

    /// How often a sink was opened.
    pub fn opened(&self) -> u64 {
        self.state.lock().opened
    }

    /// A sink on it, for the emitter of this name.
    ///
    /// # Errors
    /// What [`Broker::refuse_to_open`] asked for.
    pub fn open(&self, emitter: &str) -> Result<OpenSink, OpenError> {
        let mut state = self.state.lock();
        if !state.refusals.is_empty() {
            return Err(OpenError::Unavailable(state.refusals.remove(0)));
        }
        state.opened += 1;
        Ok(OpenSink::Payload(Box::new(BrokerSink {
            broker: self.clone(),
            emitter: emitter.into(),
        })))
    }

    fn receive(&self, payload: &Payload, emitter: &Arc<str>) -> Confirmation {
        let mut state = self.state.lock();
        if let Some(rejection) = state.oversize(payload) {
            return std::future::ready(Outcome::Rejected(rejection)).boxed();
        }
        let attempt = state.attempts.entry(payload.id).or_default();
        *attempt += 1;
        let mut received = Received {
            emitter: Arc::clone(emitter),
            id: payload.id,
            lane: payload.lane.id,
            key: payload.lane.key.clone(),
            sequence: payload.sequence,
            rows: payload.rows,
            bytes: [&payload.head[..], &payload.body[..]].concat().into(),
            headers: payload.headers.iter().cloned().collect(),
            attempt: *attempt,
            deed: Deed::Take,
        };
        let deed = match &mut state.script {
            Some(script) => script(&received),
            None => Deed::Take,
        };
        received.deed = deed.clone();
        state.received.push(received);
        let outcome = match deed {
            Deed::Take => Outcome::DELIVERED,
            Deed::TakeInSilence(failure) | Deed::Fail(failure) => Outcome::Unresolved(failure),
            Deed::Refuse(rejection) => Outcome::Rejected(rejection),
            Deed::Hold => {
                let (answer, answered) = oneshot::channel();
                state.held.insert(payload.id, answer);
                let gone = Failure::new(FailureKind::Unavailable, "the broker gave the payload up");
                return answered
                    .map(|answered| answered.unwrap_or(Outcome::Unresolved(gone)))
                    .boxed();
            }
        };
        std::future::ready(outcome).boxed()
    }
}

impl State {
    fn oversize(&self, payload: &Payload) -> Option<Rejection> {
        let (bytes, limit) = (payload.size_bytes(), self.bytes_max?);
        let message = format!("record of {bytes} bytes exceeds the client's limit of {limit} bytes");
        (bytes > u64::from(limit)).then(|| Rejection::new(message))
    }
}

impl SinkClient for Broker {
    fn open(
        &self,
        def: Arc<EmitterDef>,
        _context: SinkContext,
    ) -> BoxFuture<'static, Result<OpenSink, OpenError>> {
        std::future::ready(Broker::open(self, &def.name)).boxed()
    }

    fn drain(&self, deadline: PhysicalInstant) -> BoxFuture<'_, ()> {
        let mut state = self.state.lock();
        state.closings.push(deadline);
        match state.never_closes {
            true => std::future::pending().boxed(),
            false => std::future::ready(()).boxed(),
        }
    }
}

/// One emitter's sink.
struct BrokerSink {
    broker: Broker,
    emitter: Arc<str>,
}

impl PayloadSink for BrokerSink {
    fn publish<'a>(&'a mut self, payloads: &'a [Arc<Payload>]) -> BoxFuture<'a, Vec<Confirmation>> {
        let takes = {
            let mut state = self.broker.state.lock();
            let takes = state.takes.unwrap_or(usize::MAX).min(payloads.len());
            state.writes.push(takes);
            takes
        };
        let confirmations = payloads
            .iter()
            .take(takes)
            .map(|payload| self.broker.receive(payload, &self.emitter));
        std::future::ready(confirmations.collect()).boxed()
    }

    fn flush(&mut self) -> BoxFuture<'_, Result<(), Failure>> {
        let mut state = self.broker.state.lock();
        state.flushes += 1;
        std::future::ready(next(&mut state.flush_failures)).boxed()
    }

    fn drain(&mut self) -> BoxFuture<'_, Result<(), Unsent>> {
        let mut state = self.broker.state.lock();
        state.drains += 1;
        let unsent = |failure| Unsent { payloads: 1, failure };
        std::future::ready(next(&mut state.drain_failures).map_err(unsent)).boxed()
    }
}

/// The next of these, while there is one.
fn next(failures: &mut Vec<Failure>) -> Result<(), Failure> {
    match failures.is_empty() {
        true => Ok(()),
        false => Err(failures.remove(0)),
    }
}
