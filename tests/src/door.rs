//! A TCP door before a server: it passes connections on, and can be shut, stalled, or made to swallow answers.
//!
//! Unlike [`crate::proxy::Proxy`] it takes any number of connections and keeps its address while it is shut, so that it
//! stands for a network and not for one connection.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::wait::must;

/// Connections that a door passes on at once.
const CONNECTIONS_MAX: usize = 256;
/// Connections that wait to be taken.
const BACKLOG: u32 = 128;

/// What a door does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passage {
    /// Passes everything on.
    Open = 0,
    /// Breaks every connection, new ones included.
    Shut = 1,
    /// Keeps every connection and passes nothing on, either way.
    Stalled = 2,
    /// Passes on what the client says, and breaks the connection instead of passing on the answer.
    NoAnswers = 3,
}

/// A running door; dropping it ends it and its connections.
#[derive(Debug)]
pub struct Door {
    address: SocketAddr,
    shared: Arc<Shared>,
    /// While nothing listens.
    absent: Option<TcpSocket>,
    target: String,
    task: JoinSet<()>,
}

#[derive(Debug)]
struct Shared {
    passage: AtomicU8,
    changed: watch::Sender<u64>,
    opened: AtomicU64,
}

impl Door {
    /// Listens on a free port and passes connections on to `target`.
    ///
    /// # Panics
    /// When no port can be bound.
    pub async fn before(target: &str) -> Self {
        Self::at(("127.0.0.1", 0), target).await
    }

    /// The same at an address and port of the caller's: 0 is a free one.
    ///
    /// # Panics
    /// When it is taken.
    pub async fn at(place: (&str, u16), target: &str) -> Self {
        let mut door = Self::absent(place, target);
        door.arrive();
        door
    }

    /// The same where nothing listens yet: whoever comes is refused, until [`Self::arrive`].
    ///
    /// # Panics
    /// When the address is none, or taken.
    pub fn absent((host, port): (&str, u16), target: &str) -> Self {
        let socket = must("make the door", TcpSocket::new_v4());
        must("make the door", socket.set_reuseaddr(true));
        let host: IpAddr = must("an address", host.parse());
        must("bind the door", socket.bind(SocketAddr::new(host, port)));
        let address = must("ask for the port", socket.local_addr());
        let shared = Arc::new(Shared {
            passage: AtomicU8::new(Passage::Open as u8),
            changed: watch::Sender::new(0),
            opened: AtomicU64::new(0),
        });
        Self {
            address,
            shared,
            absent: Some(socket),
            target: target.to_owned(),
            task: JoinSet::new(),
        }
    }

    /// Listens from now on.
    ///
    /// # Panics
    /// When it cannot.
    pub fn arrive(&mut self) {
        let Some(socket) = self.absent.take() else { return };
        let listener = must("listen", socket.listen(BACKLOG));
        let (shared, target) = (Arc::clone(&self.shared), self.target.clone());
        self.task.spawn(stand(listener, target, shared));
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// From now on it does this, with the connections that there are, too.
    pub fn set(&self, passage: Passage) {
        self.shared.passage.store(passage as u8, Ordering::SeqCst);
        self.shared.changed.send_modify(|changes| *changes += 1);
    }

    /// How many connections were opened on it.
    pub fn opened(&self) -> u64 {
        self.shared.opened.load(Ordering::SeqCst)
    }
}

impl Shared {
    fn is(&self, passage: Passage) -> bool {
        self.passage.load(Ordering::SeqCst) == passage as u8
    }

    /// Waits while it is stalled. False when the connection is to break.
    async fn lets_pass(&self) -> bool {
        let mut changed = self.changed.subscribe();
        while self.is(Passage::Stalled) {
            if changed.changed().await.is_err() {
                return false;
            }
        }
        !self.is(Passage::Shut)
    }

    /// Ends when it is shut.
    async fn shut(&self) {
        let mut changed = self.changed.subscribe();
        while !self.is(Passage::Shut) {
            if changed.changed().await.is_err() {
                return;
            }
        }
    }
}

async fn stand(listener: TcpListener, target: String, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    while let Ok((client, _)) = listener.accept().await {
        shared.opened.fetch_add(1, Ordering::SeqCst);
        while connections.try_join_next().is_some() {}
        if connections.len() < CONNECTIONS_MAX {
            let (shared, target) = (Arc::clone(&shared), target.clone());
            connections.spawn(async move { pass(client, &target, &shared).await });
        }
    }
}

async fn pass(client: TcpStream, target: &str, shared: &Shared) {
    if !shared.lets_pass().await {
        return;
    }
    let Ok(server) = TcpStream::connect(target).await else {
        return;
    };
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    tokio::select! {
        () = carry(from_client, to_server, shared, false) => {}
        () = carry(from_server, to_client, shared, true) => {}
        () = shared.shut() => {}
    }
}

/// Passes one direction on until it ends or the door stands in its way.
async fn carry(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, shared: &Shared, answers: bool) {
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let read = from.read(&mut buffer).await.unwrap_or(0);
        let swallowed = answers && shared.is(Passage::NoAnswers);
        if read == 0 || swallowed || !shared.lets_pass().await {
            return;
        }
        let Some(chunk) = buffer.get(..read) else { return };
        if to.write_all(chunk).await.is_err() {
            return;
        }
    }
}
