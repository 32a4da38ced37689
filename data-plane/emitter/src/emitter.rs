//! The task of one emitter: waits for what happens next and lets the pipeline act on it.
//!
//! Invariants: every wait is cancel-safe; when the task ends, however it ends, what it holds is dropped and thereby given
//! back unresolved, and its status says stopped. It spawns nothing: whoever supervises it runs [`Emitter::run`].

use std::sync::Arc;

use nervix_budget::{Budget, LetGo};
use nervix_clock::DomainClock;
use nervix_relay::{Consumer, MaterializedState, Relay, RelayBatch};
use nervix_sink::{BoundedText, FailureKind, RevokeReason};
use nspl_model::{EmitterDef, Flush, GeneralPolicy};
use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot};

use crate::admit::Admission;
use crate::counters::EmitterCounters;
use crate::dependencies::Dependencies;
use crate::event::{EmitterEvent, EmitterEventKind, EmitterEvents};
use crate::handle::{COMMANDS_MAX, Command, EmitterHandle};
use crate::inputs::Inputs;
use crate::live::Live;
use crate::open::Supply;
use crate::pipeline::{Moved, Pipeline};
use crate::plan::{Plan, StartError};
use crate::publish::Driver;
use crate::publish::trouble::Change;
use crate::settle::Settle;
use crate::status::PendingStatus;

/// How many batches are taken at once before everything else is looked at again.
const BURST: usize = 32;

/// What a run of an emitter is made of.
pub struct EmitterParts {
    /// Its definition.
    pub def: Arc<EmitterDef>,
    /// One consumer for each source, in the order of FROM, attached as the definition says.
    pub consumers: Vec<Consumer>,
    /// Where its sink comes from.
    pub sink: Supply,
    /// The states of its dependencies, in written order.
    pub dependencies: Vec<Arc<MaterializedState>>,
    /// The relay of ON MESSAGE ERROR SEND TO, where the definition has one.
    pub error_relay: Option<Arc<Relay>>,
    /// The clock of the domain; its physical clock times retries.
    pub clock: DomainClock,
    /// The node's byte budget.
    pub budget: Budget,
    /// The node's counters of this emitter; they outlive the run.
    pub counters: Arc<EmitterCounters>,
    /// Takes runtime events.
    pub events: Arc<dyn EmitterEvents>,
}

/// One run of one emitter, ready to be run by its supervisor.
#[must_use = "an emitter does nothing until it runs"]
pub struct Emitter {
    plan: Arc<Plan>,
    pipeline: Pipeline,
    inputs: Inputs,
    commands: mpsc::Receiver<Command>,
    drains: Vec<oneshot::Sender<()>>,
    clock: DomainClock,
    events: Arc<dyn EmitterEvents>,
    counters: Arc<EmitterCounters>,
    live: LiveGuard,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunEnd {
    /// [`EmitterHandle::stop`].
    Stopped(RevokeReason),
    /// No handle is left.
    Abandoned,
}

/// What happened.
enum Event {
    Command(Option<Command>),
    Published(bool),
    DrainAbandoned,
    Asked(LetGo),
    Batch(usize, RelayBatch),
    Time,
}

/// Marks the status as stopped when the task ends, also by a panic.
struct LiveGuard(Arc<Mutex<Live>>);

impl LiveGuard {
    fn holds_nothing(&self) {
        let mut live = self.0.lock();
        live.pending = PendingStatus::default();
        live.waiting.clear();
        live.transient = None;
    }
}

impl Drop for LiveGuard {
    fn drop(&mut self) {
        self.holds_nothing();
        self.0.lock().ended = true;
    }
}

impl Emitter {
    /// Compiles the definition and makes ready a run of it. Boxed, since a task keeps room for each of its moves: an
    /// idle emitter would cost its size several times.
    ///
    /// # Errors
    /// [`StartError`] when the definition asks for what this worker does not run, or does not fit the parts.
    pub fn new(parts: EmitterParts) -> Result<(EmitterHandle, Box<Self>), StartError> {
        let EmitterParts {
            def,
            consumers,
            sink,
            dependencies,
            error_relay,
            clock,
            budget,
            counters,
            events,
        } = parts;
        let plan = Arc::new(Plan::compile(&def, error_relay)?);
        let misfit = |what| StartError::Parts {
            emitter: def.name.clone(),
            what,
        };
        if consumers.len() != plan.sources.len() {
            return Err(misfit("not one consumer for each source"));
        }
        let driver = Driver::new(&plan, sink, &clock)?;
        let settle = Settle::new(plan.clone(), clock.clone(), counters.clone(), events.clone());
        let (sender, commands) = mpsc::channel(COMMANDS_MAX);
        let live = Arc::new(Mutex::new(Live::new(clock.physical().now())));
        let handle = EmitterHandle {
            commands: sender,
            live: live.clone(),
            counters: counters.clone(),
            watch: driver.watch(),
            clock: clock.physical().clone(),
        };
        let dependencies = Dependencies::new(&def, dependencies)?;
        let admission = Admission::new(clock.clone(), budget, boundaries(&def));
        let timing = (clock.clone(), def.flush);
        let emitter = Self {
            pipeline: Pipeline::new(
                plan.clone(),
                driver,
                settle,
                (admission, dependencies, counters.clone()),
                timing,
            ),
            plan,
            inputs: Inputs::new(consumers),
            commands,
            drains: Vec::new(),
            clock,
            events,
            counters,
            live: LiveGuard(live),
        };
        Ok((handle, Box::new(emitter)))
    }

    /// Runs until it is stopped or no handle is left. Dropping the future gives everything back unresolved.
    pub async fn run(mut self: Box<Self>) -> RunEnd {
        loop {
            let (more, sent) = self.step();
            let moved = match self.next(more).await {
                Event::Command(None) => {
                    return self.end(RevokeReason::Changed, RunEnd::Abandoned).await;
                }
                Event::Command(Some(Command::Stop(reason))) => {
                    return self.end(reason, RunEnd::Stopped(reason)).await;
                }
                Event::Command(Some(command)) => self.obey(command),
                Event::Batch(source, batch) => self.batches(source, batch),
                Event::Published(taken) => self.published(taken),
                Event::Asked(_turn) => {
                    self.pipeline.force_all();
                    Moved::default()
                }
                Event::DrainAbandoned | Event::Time => Moved::default(),
            };
            let moved = moved.and(sent);
            self.live.0.lock().moved(moved, self.clock.physical().now());
        }
    }

    /// Moves what can move, answers drains, tells what changed. True when there is more to move at once.
    fn step(&mut self) -> (bool, Moved) {
        self.drains.retain(|drain| !drain.is_closed());
        if !self.drains.is_empty() {
            self.pipeline.force_all();
        }
        let (more, moved) = self.pipeline.advance();
        // What the client holds is sent while its confirmations are awaited.
        if !self.drains.is_empty()
            && self.inputs.is_empty()
            && self.pipeline.driver.finish(self.clock.physical().now())
            && self.pipeline.is_empty()
        {
            for drain in self.drains.drain(..) {
                if drain.send(()).is_err() {
                    tracing::debug!("a drain ended after its caller had gone");
                }
            }
        }
        self.tell_trouble();
        self.pipeline.settle.tell_rejections(self.clock.physical().now());
        self.refresh();
        (more, moved)
    }

    async fn next(&mut self, more: bool) -> Event {
        let room = self.pipeline.admission.has_room();
        let alarm = self.pipeline.alarm();
        let asked = self.pipeline.admission.defer(self.pipeline.deferred_bytes());
        let Pipeline {
            driver,
            errors,
            dependencies,
            ..
        } = &mut self.pipeline;
        tokio::select! {
            biased;
            command = self.commands.recv() => Event::Command(command),
            () = driver.ready() => Event::Time,
            taken = errors.published() => Event::Published(taken),
            () = dependencies.woken() => Event::Time,
            () = abandoned(&mut self.drains) => Event::DrainAbandoned,
            turn = asked => Event::Asked(turn),
            (source, batch) = self.inputs.next(), if room => Event::Batch(source, batch),
            () = tokio::task::yield_now(), if more => Event::Time,
            () = alarm.ring(&self.clock) => Event::Time,
        }
    }

    fn obey(&mut self, command: Command) -> Moved {
        match command {
            Command::Kick => self.pipeline.kick(),
            Command::SetFlush(flush) => self.pipeline.install_flush(flush),
            Command::Drain(done) => {
                self.drains.push(done);
                self.pipeline.kick();
            }
            Command::Stop(_) => {}
        }
        Moved::default()
    }

    fn batches(&mut self, source: usize, batch: RelayBatch) -> Moved {
        let mut moved = self.pipeline.take(source, batch);
        for _ in 1..BURST {
            if !self.pipeline.admission.has_room() {
                break;
            }
            let Some((source, batch)) = self.inputs.try_next() else {
                break;
            };
            moved.received += self.pipeline.take(source, batch).received;
        }
        moved
    }

    fn published(&self, taken: bool) -> Moved {
        if !taken && self.plan.general == GeneralPolicy::Log {
            let Plan { domain, emitter, .. } = &*self.plan;
            tracing::warn!(%domain, %emitter, "the error relay is closed; its records are given back unresolved");
        }
        Moved::default()
    }

    /// Gives everything back at once; ends when the destination's client has sent what it took, where that counted as
    /// delivered.
    async fn end(self: Box<Self>, reason: RevokeReason, end: RunEnd) -> RunEnd {
        let Self {
            plan,
            pipeline,
            inputs,
            drains,
            commands: _open_until_the_end,
            clock,
            events,
            counters,
            live,
        } = *self;
        drop((inputs, drains));
        let leftover = pipeline.close(reason);
        live.holds_nothing();
        if let Some(leftover) = leftover
            && let Err(unsent) = leftover.sent(clock.physical()).await
        {
            counters.lost(unsent.payloads);
            let message = format!(
                "what the client had taken is lost with it: {}",
                unsent.failure.message
            );
            tell(&plan, &*events, EmitterEventKind::Lost, BoundedText::new(message));
        }
        end
    }

    fn tell_trouble(&mut self) {
        let now = self.clock.physical().now();
        let Some((change, untold)) = self.pipeline.driver.trouble().take_change(now) else {
            return;
        };
        let (kind, mut message) = match change {
            Change::Began(kind, message) => (event_of(kind), message),
            Change::Over => (
                EmitterEventKind::Recovered,
                "nothing waits to be sent again".into(),
            ),
        };
        if untold > 0 {
            message = BoundedText::new(format!("{message} ({untold} changes before it were not told)"));
        }
        tell(&self.plan, &*self.events, kind, message);
    }

    fn refresh(&mut self) {
        let now = self.clock.physical().now();
        let retention = self.pipeline.driver.retention();
        let pending = PendingStatus {
            messages: self.pipeline.settle.pending.messages(),
            buffered_bytes: self.pipeline.admission.load_bytes(),
            retained_batches: retention.units as u64,
            retained_bytes: retention.bytes,
            awaiting_retry: retention.awaiting_retry as u64,
            lanes: retention.lanes as u64,
        };
        let transient = self.pipeline.driver.trouble().transient(now);
        let transient = transient.map(|transient| (transient, now));
        let mut live = self.live.0.lock();
        live.draining = match self.drains.is_empty() {
            true => None,
            false => live.draining.or(Some(now)),
        };
        live.pending = pending;
        live.waiting = self.pipeline.dependencies.status();
        live.transient = transient;
    }
}

/// Tells of delivery: an event, and a line where ON GENERAL ERROR says so.
fn tell(plan: &Plan, events: &dyn EmitterEvents, kind: EmitterEventKind, message: BoundedText) {
    if plan.general == GeneralPolicy::Log {
        let Plan { domain, emitter, .. } = plan;
        tracing::warn!(%domain, %emitter, event = kind.word(), %message, "delivery");
    }
    events.report(EmitterEvent { kind, message });
}

/// The event of trouble of this kind.
fn event_of(kind: FailureKind) -> EmitterEventKind {
    match kind {
        FailureKind::PeerLost => EmitterEventKind::ConsumerLost,
        FailureKind::PeerAsked
        | FailureKind::PeerLeft
        | FailureKind::TimedOut
        | FailureKind::NodeBusy
        | FailureKind::RefusedTogether => EmitterEventKind::Retrying,
        FailureKind::Unavailable
        | FailureKind::Unauthorized
        | FailureKind::Missing
        | FailureKind::Throttled => EmitterEventKind::Unavailable,
    }
}

/// The bytes that COLLECT and FLUSH want together before they release by size.
fn boundaries(def: &EmitterDef) -> u64 {
    let collect = def.collect.and_then(|collect| collect.max_bytes).unwrap_or(0);
    let flush = match def.flush {
        Flush::Each { max_bytes, .. } => max_bytes,
        Flush::Immediate => 0,
    };
    collect.saturating_add(flush)
}

/// Ends when a caller of drain has gone; never without one.
async fn abandoned(drains: &mut [oneshot::Sender<()>]) {
    match drains.first_mut() {
        Some(drain) => drain.closed().await,
        None => std::future::pending().await,
    }
}
