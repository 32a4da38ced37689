//! What is accepted on one listening socket.
//!
//! Invariants: at most so many connections are open at a time, and past that the newest is closed at once, so that those
//! who are connected go on and nobody else of this process is left without file descriptors; a peer that does not say
//! its first word in time is closed; when accepting fails it is tried again after a pause, not at once; what a peer can
//! cause as often as it likes is logged at a bounded rate. Small messages leave at once: the kernel would hold them back
//! until the peer has acknowledged the one before, which takes it up to 40 ms.
//!
//! What is spoken on a connection is the business of whoever takes it, but for what cannot be read at all ([`Blaming`]), and
//! the words about one that does not come about ([`cause`](fn@cause)).

mod cause;
mod connection;
mod unreadable;
mod within;

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use futures::Stream;
use nervix_clock::{PhysicalClock, PhysicalInstant, Sleep};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
};

pub use cause::cause;
pub use connection::Connection;
pub use unreadable::{Blaming, invalid, unreadable};
pub use within::{Dialled, Dialler, within};

/// How long a peer has for its first word: what HTTP/2 begins with, or the first byte of HTTP/1.
pub const FIRST_WORD_MAX: Duration = Duration::from_secs(10);
/// After a failed accept (such as no more file descriptors), how long before the next.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// Between two log lines about connections that were closed because there were too many.
const TOLD_EVERY: Duration = Duration::from_secs(10);

/// What peers of a listener begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// The 24 bytes before all frames.
    Http2,
    /// Anything; the server bounds the time of a whole head.
    Http1,
}

impl Protocol {
    fn first_bytes(self) -> usize {
        match self {
            Self::Http2 => 24,
            Self::Http1 => 1,
        }
    }
}

/// Which listener it is, and its bounds.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// What it is called in log lines.
    pub title: &'static str,
    /// Connections at a time.
    pub connections_max: usize,
    /// What peers begin with.
    pub protocol: Protocol,
}

/// The connections of one listener, as they come, without end.
#[derive(Debug)]
pub struct Connections {
    listener: TcpListener,
    terms: Terms,
    clock: PhysicalClock,
    room: Arc<Semaphore>,
    pause: Option<Sleep>,
    fails: bool,
    turned_away: u64,
    told: Option<PhysicalInstant>,
}

impl Connections {
    /// The connections of a bound listener.
    pub fn new(listener: TcpListener, terms: Terms, clock: PhysicalClock) -> Self {
        Self {
            listener,
            terms,
            clock,
            room: Arc::new(Semaphore::new(terms.connections_max)),
            pause: None,
            fails: false,
            turned_away: 0,
            told: None,
        }
    }

    fn take(&mut self, stream: TcpStream) -> Option<Connection> {
        if std::mem::take(&mut self.fails) {
            tracing::info!(listener = self.terms.title, "connections are accepted again");
        }
        let Ok(permit) = Arc::clone(&self.room).try_acquire_owned() else {
            drop(stream);
            self.turn_away();
            return None;
        };
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, listener = self.terms.title, "small messages of a connection may wait");
        }
        let deadline = self.clock.sleep(FIRST_WORD_MAX);
        Some(Connection::new(
            stream,
            (self.terms.protocol.first_bytes(), deadline),
            permit,
        ))
    }

    fn turn_away(&mut self) {
        self.turned_away = self.turned_away.saturating_add(1);
        let now = self.clock.now();
        if self.told.is_some_and(|told| now.since(told) < TOLD_EVERY) {
            return;
        }
        self.told = Some(now);
        tracing::warn!(
            listener = self.terms.title,
            connections_max = self.terms.connections_max,
            turned_away = self.turned_away,
            "too many connections: the newest are closed"
        );
    }

    fn rest(&mut self, error: &io::Error) {
        if !std::mem::replace(&mut self.fails, true) {
            tracing::warn!(%error, listener = self.terms.title, "no connection can be accepted; it is tried again");
        }
        self.pause = Some(self.clock.sleep(ACCEPT_PAUSE));
    }
}

impl Stream for Connections {
    type Item = io::Result<Connection>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(pause) = &mut self.pause {
                ready!(Pin::new(pause).poll(cx));
                self.pause = None;
            }
            match ready!(self.listener.poll_accept(cx)) {
                Ok((stream, _peer)) => {
                    if let Some(connection) = self.take(stream) {
                        return Poll::Ready(Some(Ok(connection)));
                    }
                }
                // The peer went before it was its turn.
                Err(error) if is_of_peer(&error) => {}
                Err(error) => self.rest(&error),
            }
        }
    }
}

fn is_of_peer(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionRefused
    )
}

#[cfg(test)]
mod tests;
