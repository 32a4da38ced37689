//! The exchange of one CLIENT emitter: the machine behind a lock, and who is woken when it changed.
//!
//! Invariant: nothing is awaited while the lock is held, and after each step whatever became possible by it has been
//! assigned and everybody concerned has been woken.

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
        };
        let shared = Shared {
            clock: options.clock,
            state: Mutex::new(state),
            emitter: Notify::new(),
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// Connects a consumer. It is assigned nothing before it grants credit.
    ///
    /// # Errors
    /// The reason of [`Exchange::end`], once that was called.
    pub fn connect(&self, options: ConnectOptions) -> Result<ConsumerSession, EndReason> {
        ConsumerSession::open(&self.shared, options)
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
}

impl State {
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
    /// Does one thing under the lock, assigns what became possible, and wakes whom it concerns.
    pub(crate) fn step<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.state.lock();
        let deadline = state.machine.next_deadline();
        let done = act(&mut state);
        if let Some(Session { ack_timeout, .. }) = state.session {
            let now = self.clock.now();
            state.machine.assign(now, now.after(ack_timeout), ack_timeout);
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
