//! What destinations have in common that one attempt after the other reaches: they note it, and answer it at once or when a
//! test says so.

use std::collections::VecDeque;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use nervix_sink::{Failure, OpenError};
use parking_lot::Mutex;
use tokio::sync::oneshot;

/// One attempt that reached a destination.
#[derive(Debug, Clone)]
pub struct Attempted<W, A> {
    /// What came, exactly.
    pub work: W,
    /// What it answered; none while it holds the work.
    pub answer: Option<A>,
}

/// A destination that a test attends to; clones share everything.
pub struct Attended<W, A> {
    state: Arc<Mutex<State<W, A>>>,
}

struct State<W, A> {
    refusals: VecDeque<Failure>,
    attempts: Vec<Attempted<W, A>>,
    answers: VecDeque<A>,
    holds: bool,
    held: Option<oneshot::Sender<A>>,
}

impl<W, A> Clone for Attended<W, A> {
    fn clone(&self) -> Self {
        Self {
            state: Arc::clone(&self.state),
        }
    }
}

impl<W, A> Default for Attended<W, A> {
    fn default() -> Self {
        let state = State {
            refusals: VecDeque::new(),
            attempts: Vec::new(),
            answers: VecDeque::new(),
            holds: false,
            held: None,
        };
        Self {
            state: Arc::new(Mutex::new(state)),
        }
    }
}

impl<W: Clone + Send + 'static, A: Clone + Send + 'static> Attended<W, A> {
    /// The next times that somebody opens a sink on it, it fails so.
    pub fn refuse_to_open(&self, failures: impl IntoIterator<Item = Failure>) {
        self.state.lock().refusals.extend(failures);
    }

    /// What it answers to the next attempts, in order.
    pub fn answers(&self, answers: impl IntoIterator<Item = A>) {
        self.state.lock().answers.extend(answers);
    }

    /// From now on it answers only when [`Attended::answer`] says so, or at once again.
    pub fn hold(&self, holds: bool) {
        self.state.lock().holds = holds;
    }

    /// Answers the attempt that it holds. False when it holds none that somebody waits for.
    pub fn answer(&self, answer: A) -> bool {
        let held = self.state.lock().held.take();
        held.is_some_and(|held| held.send(answer).is_ok())
    }

    /// Every attempt that reached it, in order.
    pub fn attempts(&self) -> Vec<Attempted<W, A>> {
        self.state.lock().attempts.clone()
    }

    /// Whether a sink may be opened now.
    pub(crate) fn open(&self) -> Result<(), OpenError> {
        match self.state.lock().refusals.pop_front() {
            Some(refusal) => Err(OpenError::Unavailable(refusal)),
            None => Ok(()),
        }
    }

    /// One attempt; `otherwise` answers it where nothing was said before.
    pub(crate) fn attempt(&self, work: W, otherwise: impl FnOnce(&W) -> A) -> BoxFuture<'static, A> {
        let mut state = self.state.lock();
        let at = state.attempts.len();
        let said = if state.holds {
            None
        } else {
            state.answers.pop_front()
        };
        let holds = state.holds;
        state.attempts.push(Attempted {
            work: work.clone(),
            answer: None,
        });
        if !holds {
            drop(state);
            let answer = said.unwrap_or_else(|| otherwise(&work));
            return std::future::ready(self.answered(at, answer)).boxed();
        }
        let (answer, answered) = oneshot::channel();
        state.held = Some(answer);
        drop(state);
        let attended = self.clone();
        async move {
            match answered.await {
                Ok(answer) => attended.answered(at, answer),
                // Nobody will answer any more.
                Err(_) => std::future::pending().await,
            }
        }
        .boxed()
    }

    /// Notes what the attempt `at` was answered.
    fn answered(&self, at: usize, answer: A) -> A {
        if let Some(attempted) = self.state.lock().attempts.get_mut(at) {
            attempted.answer = Some(answer.clone());
        }
        answer
    }
}
