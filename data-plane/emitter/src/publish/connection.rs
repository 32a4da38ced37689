//! The way to a sink that is outside: opened by the run itself, and in use by one piece of work at a time.
//!
//! Invariants: at most one future is under way; a sink that is in use comes back with the end of its work, so that
//! nothing meets in it. Dropping a connection drops what is under way with it. It decides nothing: when to open is its
//! driver's business, and how long work may take is the sink's.

use std::sync::Arc;
use std::task::{Context, Poll};

use futures::FutureExt;
use futures::future::BoxFuture;
use nervix_codec::PayloadEncoder;
use nervix_sink::{Failure, FailureKind, OpenError, OpenSink};

use crate::open::{Opened, Opener};

/// A piece of work that has a sink to itself, and gives it back.
pub(crate) type Work<S, T> = BoxFuture<'static, (Box<S>, T)>;

/// Takes the sink of the shape `S` out of what was opened.
pub(crate) type Shape<S> = fn(OpenSink) -> Option<Box<S>>;

/// A connection to a sink of the shape `S`, whose work ends with a `T`.
pub(crate) struct Connection<S: ?Sized, T> {
    opener: Arc<dyn Opener>,
    shape: Shape<S>,
    encoder: Option<Arc<dyn PayloadEncoder>>,
    state: State<S, T>,
    /// What has ended and was not taken.
    ended: Option<Ended<T>>,
}

enum State<S: ?Sized, T> {
    Closed,
    Opening(BoxFuture<'static, Result<Opened, OpenError>>),
    Idle(Box<S>),
    Busy(Work<S, T>),
}

/// What has ended.
pub(crate) enum Ended<T> {
    /// The sink is open.
    Opened,
    /// It could not be opened now.
    Failed(Failure),
    /// The work.
    Work(T),
}

impl<S: ?Sized, T> Connection<S, T> {
    /// Not open yet.
    pub(crate) fn new(opener: Arc<dyn Opener>, shape: Shape<S>) -> Self {
        Self {
            opener,
            shape,
            encoder: None,
            state: State::Closed,
            ended: None,
        }
    }

    /// Whether it has to be opened.
    pub(crate) fn is_closed(&self) -> bool {
        matches!(self.state, State::Closed)
    }

    /// Whether there is no sink: it never opened, so no client holds anything.
    pub(crate) fn is_unopened(&self) -> bool {
        matches!(self.state, State::Closed | State::Opening(_))
    }

    /// Whether the sink is open and nothing uses it.
    pub(crate) fn is_idle(&self) -> bool {
        matches!(self.state, State::Idle(_))
    }

    /// The sink, when it is open and nothing uses it.
    pub(crate) fn idle(&self) -> Option<&S> {
        match &self.state {
            State::Idle(sink) => Some(sink),
            State::Closed | State::Opening(_) | State::Busy(_) => None,
        }
    }

    /// The sink, when nothing uses it any more; none where it is not open.
    pub(crate) async fn into_sink(self) -> Option<Box<S>> {
        match self.state {
            State::Idle(sink) => Some(sink),
            State::Busy(work) => Some(work.await.0),
            State::Closed | State::Opening(_) => None,
        }
    }

    /// What encodes records; none until it was open once, and none without a codec.
    pub(crate) fn encoder(&self) -> Option<&Arc<dyn PayloadEncoder>> {
        self.encoder.as_ref()
    }

    /// Begins to open it, when it is closed.
    pub(crate) fn open(&mut self) {
        if self.is_closed() {
            self.state = State::Opening(self.opener.open());
        }
    }

    /// Begins work when it is idle; `work` is given the sink and has to give it back.
    pub(crate) fn begin(&mut self, work: impl FnOnce(Box<S>) -> Work<S, T>) {
        self.state = match std::mem::replace(&mut self.state, State::Closed) {
            State::Idle(sink) => State::Busy(work(sink)),
            other => other,
        };
    }

    /// Ready while something has ended that was not taken.
    pub(crate) fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.ended.is_none()
            && let Poll::Ready(ended) = self.poll_ended(cx)
        {
            self.ended = Some(ended);
        }
        match self.ended {
            Some(_) => Poll::Ready(()),
            None => Poll::Pending,
        }
    }

    /// What has ended and was not taken.
    pub(crate) fn ended(&self) -> Option<&Ended<T>> {
        self.ended.as_ref()
    }

    /// Takes what has ended.
    pub(crate) fn take_ended(&mut self) -> Option<Ended<T>> {
        self.ended.take()
    }

    /// What has ended; pending while nothing is under way.
    fn poll_ended(&mut self, cx: &mut Context<'_>) -> Poll<Ended<T>> {
        match &mut self.state {
            State::Closed | State::Idle(_) => Poll::Pending,
            State::Busy(work) => work.poll_unpin(cx).map(|(sink, result)| {
                self.state = State::Idle(sink);
                Ended::Work(result)
            }),
            State::Opening(opening) => opening.poll_unpin(cx).map(|opened| self.opened(opened)),
        }
    }

    fn opened(&mut self, opened: Result<Opened, OpenError>) -> Ended<T> {
        self.state = State::Closed;
        let Opened { sink, encoder } = match opened {
            Ok(opened) => opened,
            Err(OpenError::Unavailable(failure)) => return Ended::Failed(failure),
            Err(error @ OpenError::NotBuilt { .. }) => {
                return Ended::Failed(Failure::new(FailureKind::Missing, error.to_string()));
            }
        };
        let found = sink.shape();
        match (self.shape)(sink) {
            Some(sink) => {
                self.encoder = encoder;
                self.state = State::Idle(sink);
                Ended::Opened
            }
            None => {
                let message =
                    format!("the destination opened as a sink of the {found} shape, which it is not");
                Ended::Failed(Failure::new(FailureKind::Missing, message))
            }
        }
    }
}
