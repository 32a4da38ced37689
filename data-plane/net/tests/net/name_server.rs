//! A name server whose answers the test changes while it runs, and which counts what it is asked.

use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use nervix_clock::PhysicalClock;
use nervix_net::{Dialler, Resolver};
use tokio::net::UdpSocket;
use tokio::sync::Mutex;
use tokio::task::JoinSet;

/// What is said of a name.
#[derive(Clone)]
pub(crate) enum Says {
    Addresses(Vec<Ipv4Addr>),
    /// The name exists and has no address.
    Empty,
    /// NXDOMAIN.
    Missing,
    /// SERVFAIL.
    Fails,
    /// Nothing at all.
    Silence,
}

/// A running name server; dropping it ends it.
pub(crate) struct NameServer {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    _task: JoinSet<()>,
}

#[derive(Default)]
struct State {
    says: HashMap<String, Says>,
    /// Questions for addresses of version 4, by name.
    asked: HashMap<String, usize>,
}

impl NameServer {
    pub(crate) async fn start() -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").await.expect("a socket");
        let address = socket.local_addr().expect("an address");
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        let mut task = JoinSet::new();
        task.spawn(async move {
            let mut query = [0; 512];
            while let Ok((length, peer)) = socket.recv_from(&mut query).await {
                if let Some(answer) = answer(&query[..length], &mut *shared.lock().await) {
                    socket.send_to(&answer, peer).await.expect("an answer leaves");
                }
            }
        });
        Self {
            address,
            state,
            _task: task,
        }
    }

    pub(crate) async fn say(&self, name: &str, says: Says) {
        self.state.lock().await.says.insert(name.to_owned(), says);
    }

    pub(crate) async fn asked(&self, name: &str) -> usize {
        self.state.lock().await.asked.get(name).copied().unwrap_or(0)
    }

    /// A resolver that asks this server alone.
    pub(crate) fn resolver(&self) -> Resolver {
        Resolver::of_servers(&[self.address]).expect("a resolver")
    }

    /// A dialler over it.
    pub(crate) fn dialler(&self) -> Dialler {
        Dialler::new(self.resolver(), PhysicalClock::system())
    }
}

/// An answer to a query of one question (RFC 1035 section 4).
fn answer(query: &[u8], state: &mut State) -> Option<Vec<u8>> {
    let (name, end) = question(query)?;
    let is_v4 = query.get(end..end + 2)? == [0, 1];
    if is_v4 {
        *state.asked.entry(name.clone()).or_default() += 1;
    }
    let says = state.says.get(&name).cloned().unwrap_or(Says::Missing);
    let (code, addresses) = match says {
        Says::Silence => return None,
        Says::Addresses(addresses) if is_v4 => (0, addresses),
        Says::Addresses(_) | Says::Empty => (0, Vec::new()),
        Says::Missing => (3, Vec::new()),
        Says::Fails => (2, Vec::new()),
    };
    let mut answer = query.get(..2)?.to_vec();
    let count = u8::try_from(addresses.len()).ok()?;
    answer.extend([0x81, 0x80 | code, 0, 1, 0, count, 0, 0, 0, 0]);
    answer.extend(query.get(12..end + 4)?);
    for address in addresses {
        // The name of the question, type A, class IN, an hour to live.
        answer.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0x0e, 0x10, 0, 4]);
        answer.extend(address.octets());
    }
    Some(answer)
}

/// The name that is asked for, and where its type stands.
fn question(query: &[u8]) -> Option<(String, usize)> {
    let mut labels = Vec::new();
    let mut at = 12;
    loop {
        let length = usize::from(*query.get(at)?);
        at += 1;
        if length == 0 {
            return Some((labels.join("."), at));
        }
        let label = query.get(at..at + length)?;
        labels.push(String::from_utf8_lossy(label).to_lowercase());
        at += length;
    }
}
