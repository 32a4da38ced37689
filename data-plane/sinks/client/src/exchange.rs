//! The exchange of one CLIENT emitter: the machine behind a lock, and who is woken when it changed.
//!
//! Invariant: nothing is awaited while the lock is held. Each step begins by expiring what is due by the clock, so that an
//! answer after ACK TIMEOUT is stale no matter when the emitter's task runs; after each step whatever became possible by
//! it has been assigned and everybody concerned has been woken.

use std::sync::Arc;
use std::time::Duration;

use ahash::AHashMap;
use nervix_clock::{PhysicalClock, PhysicalInstant};
use nervix_sink::{OpenSink, RevokeReason, SessionStatus, SessionWatch};
use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::connection::{ConnectOptions, ConsumerSession};
use crate::consumers::ConsumerId;
use crate::event::EndReason;
use crate::machine::Machine;
use crate::sink::ClientSink;

/// What an exchange needs to know once.
#[derive(Clone)]
pub struct ExchangeOptions {
    /// Times the leases of deliveries.
    pub clock: PhysicalClock,
    /// The most bytes that one consumer holds unanswered or unread (`--flight-consumer-bytes`); a single larger batch
    /// is still assigned to a consumer that holds nothing.
    pub consumer_bytes: u64,
}

/// What one run of the emitter brings.
#[derive(Debug, Clone, Copy)]
pub struct SessionOptions {
    /// ACK TIMEOUT of the MODE, physical time from the assignment.
    pub ack_timeout: Duration,
}

/// Where the consumers of one CLIENT emitter and the emitter meet; cheap to clone, the clones are one exchange.
#[derive(Clone)]
pub struct Exchange {
    pub(crate) shared: Arc<Shared>,
    /// The output schema that whoever holds this handle knows of.
    edition: u64,
}

impl Exchange {
    /// An exchange without consumers and without an emitter.
    pub fn new(options: ExchangeOptions) -> Self {
        let state = State {
            machine: Machine::new(random_word(), options.consumer_bytes),
            wakers: AHashMap::new(),
            ended: None,
            session: None,
            sessions: 0,
            edition: 0,
        };
        let shared = Shared {
            clock: options.clock,
            state: Mutex::new(state),
            emitter: Notify::new(),
        };
        Self {
            shared: Arc::new(shared),
            edition: 0,
        }
    }

    /// Connects a consumer. It is assigned nothing before it grants credit.
    ///
    /// # Errors
    /// The reason of [`Exchange::end`], once that was called; [`EndReason::Changed`] through a handle from before
    /// [`Exchange::renewed`].
    pub fn connect(&self, options: ConnectOptions) -> Result<ConsumerSession, EndReason> {
        ConsumerSession::open(&self.shared, self.edition, options)
    }

    /// The sink for one run of the emitter. A sink of an earlier run that is still open is closed first, and what it had
    /// out is revoked as changed.
    pub fn open(&self, options: SessionOptions) -> OpenSink {
        OpenSink::Session(Box::new(ClientSink::open(&self.shared, options)))
    }

    /// Ends the stream of every consumer, after what each still has to be told; later connects are refused. What they
    /// held goes back to the emitter as unresolved.
    pub fn end(&self, reason: EndReason) {
        self.shared.step(|state| {
            state.machine.end(&reason);
            state.ended = Some(reason);
        });
    }

    /// Takes back [`Exchange::end`] for later connects.
    pub fn reopen(&self) {
        self.shared.step(|state| state.ended = None);
    }

    /// The exchange for another output schema: every stream ends as changed, and who found this handle while the old
    /// schema was in force cannot connect by it any more. Counters and kept results stay (`flight.md`, Ends and limits).
    #[must_use = "the handles from before take no consumers any more"]
    pub fn renewed(&self) -> Self {
        let edition = self.shared.step(|state| {
            state.machine.end(&EndReason::Changed);
            state.ended = None;
            state.edition += 1;
            state.edition
        });
        Self {
            shared: self.shared.clone(),
            edition,
        }
    }

    /// Counters and gauges for DESCRIBE EMITTER and metrics.
    pub fn status(&self) -> SessionStatus {
        self.shared.status()
    }
}

/// A session as the machine's shell knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Session {
    pub(crate) number: u64,
    pub(crate) ack_timeout: Duration,
}

pub(crate) struct State {
    pub(crate) machine: Machine<PhysicalInstant>,
    pub(crate) wakers: AHashMap<ConsumerId, Arc<Wakers>>,
    pub(crate) ended: Option<EndReason>,
    pub(crate) session: Option<Session>,
    sessions: u64,
    edition: u64,
}

impl State {
    /// Why a consumer that knows the output schema of `edition` cannot connect, if it cannot.
    pub(crate) fn refusal(&self, edition: u64) -> Option<EndReason> {
        let changed = (edition != self.edition).then_some(EndReason::Changed);
        self.ended.clone().or(changed)
    }

    /// Begins a new session and ends the one before it.
    pub(crate) fn begin_session(&mut self, ack_timeout: Duration) -> u64 {
        if self.session.is_some() {
            self.machine.close(RevokeReason::Changed);
        }
        self.sessions += 1;
        self.session = Some(Session {
            number: self.sessions,
            ack_timeout,
        });
        self.sessions
    }

    pub(crate) fn is_session(&self, number: u64) -> bool {
        self.session.is_some_and(|session| session.number == number)
    }
}

/// Wakes the two sides of one consumer's stream.
#[derive(Default)]
pub(crate) struct Wakers {
    /// There is something to read.
    pub(crate) events: Notify,
    /// Something was read.
    pub(crate) room: Notify,
}

pub(crate) struct Shared {
    pub(crate) clock: PhysicalClock,
    pub(crate) state: Mutex<State>,
    /// Wakes the emitter: an answer is there, or the first lease began.
    pub(crate) emitter: Notify,
}

impl Shared {
    /// Expires what is due, does one thing under the lock, assigns what became possible, and wakes whom it concerns.
    pub(crate) fn step<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.state.lock();
        let deadline = state.machine.next_deadline();
        let now = self.clock.now();
        state.machine.expire(now);
        let done = act(&mut state);
        if let Some(Session { ack_timeout, .. }) = state.session {
            state.machine.assign(now, |wait| now.after(wait), ack_timeout);
        }
        for consumer in state.machine.take_touched() {
            if let Some(wakers) = state.wakers.get(&consumer) {
                wakers.events.notify_one();
            }
        }
        if state.machine.has_answers() || deadline != state.machine.next_deadline() {
            self.emitter.notify_one();
        }
        done
    }
}

impl SessionWatch for Shared {
    fn status(&self) -> SessionStatus {
        let now = self.clock.now();
        let state = self.state.lock();
        state.machine.status(|then| now.since(then))
    }
}

fn random_word() -> u64 {
    uuid::Uuid::new_v4().as_u64_pair().0
}
