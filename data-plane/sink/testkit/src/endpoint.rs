//! An endpoint: answers prepared requests as its script says.

use std::collections::VecDeque;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use nervix_clock::PhysicalInstant;
use nervix_sink::{
    Failure, OpenError, OpenSink, Outcome, PreparedRequest, RequestSink, SinkClient, SinkContext,
};
use nspl_model::EmitterDef;
use parking_lot::Mutex;
use tokio::sync::oneshot;

/// One attempt that reached the endpoint.
#[derive(Clone)]
pub struct Sent {
    /// The request, exactly.
    pub request: PreparedRequest,
    /// What it answered; none while it holds the request.
    pub outcome: Option<Outcome>,
}

/// The endpoint; clones share everything.
#[derive(Clone, Default)]
pub struct Endpoint {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    refusals: VecDeque<Failure>,
    sent: Vec<Sent>,
    outcomes: VecDeque<Outcome>,
    holds: bool,
    held: Option<oneshot::Sender<Outcome>>,
}

impl Endpoint {
    /// An endpoint that takes every request.
    pub fn new() -> Self {
        Self::default()
    }

    /// The next times that somebody opens a sink on it, it fails so.
    pub fn refuse_to_open(&self, failures: impl IntoIterator<Item = Failure>) {
        self.state.lock().refusals.extend(failures);
    }

    /// What it answers to the next attempts, in order; it takes those after them.
    pub fn answers(&self, outcomes: impl IntoIterator<Item = Outcome>) {
        self.state.lock().outcomes.extend(outcomes);
    }

    /// From now on it answers only when [`Endpoint::answer`] says so, or at once again.
    pub fn hold(&self, holds: bool) {
        self.state.lock().holds = holds;
    }

    /// Answers the request that it holds. False when it holds none that somebody waits for.
    pub fn answer(&self, outcome: Outcome) -> bool {
        let held = self.state.lock().held.take();
        held.is_some_and(|held| held.send(outcome).is_ok())
    }

    /// Every attempt that reached it, in order.
    pub fn sent(&self) -> Vec<Sent> {
        self.state.lock().sent.clone()
    }

    /// A sink on it.
    ///
    /// # Errors
    /// What [`Endpoint::refuse_to_open`] asked for.
    pub fn open(&self) -> Result<OpenSink, OpenError> {
        match self.state.lock().refusals.pop_front() {
            Some(refusal) => Err(OpenError::Unavailable(refusal)),
            None => Ok(OpenSink::Requests(Box::new(EndpointSink(self.clone())))),
        }
    }
}

impl State {
    /// Notes what the attempt `at` was answered.
    fn answered(&mut self, at: usize, outcome: Outcome) -> Outcome {
        if let Some(sent) = self.sent.get_mut(at) {
            sent.outcome = Some(outcome.clone());
        }
        outcome
    }
}

impl SinkClient for Endpoint {
    fn open(
        &self,
        _def: Arc<EmitterDef>,
        _context: SinkContext,
    ) -> BoxFuture<'static, Result<OpenSink, OpenError>> {
        std::future::ready(Endpoint::open(self)).boxed()
    }

    fn drain(&self, _deadline: PhysicalInstant) -> BoxFuture<'_, ()> {
        std::future::ready(()).boxed()
    }
}

struct EndpointSink(Endpoint);

impl RequestSink for EndpointSink {
    fn send<'a>(&'a mut self, request: &'a PreparedRequest) -> BoxFuture<'a, Outcome> {
        let mut state = self.0.state.lock();
        let at = state.sent.len();
        state.sent.push(Sent {
            request: request.clone(),
            outcome: None,
        });
        if state.holds {
            let (answer, answered) = oneshot::channel();
            state.held = Some(answer);
            drop(state);
            return async move {
                match answered.await {
                    Ok(outcome) => self.0.state.lock().answered(at, outcome),
                    // Nobody will answer any more.
                    Err(_) => std::future::pending().await,
                }
            }
            .boxed();
        }
        let outcome = state.outcomes.pop_front().unwrap_or(Outcome::DELIVERED);
        std::future::ready(state.answered(at, outcome)).boxed()
    }
}
