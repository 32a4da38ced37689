//! Connections: all addresses are tried, nothing outlasts the deadline.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use nervix_clock::PhysicalClock;
use nervix_net::{ConnectFault, Dialler, Endpoint, NetFault, Resolver, Step};
use nervix_tests::ports::free_port;
use nervix_tests::wait::{until, within};
use tokio::net::{TcpListener, TcpSocket, TcpStream};

use crate::name_server::{NameServer, Says};

fn dialler() -> Dialler {
    Dialler::new(Resolver::system(), PhysicalClock::system())
}

async fn dial(dialler: &Dialler, endpoint: &Endpoint, within_time: Duration) -> Result<TcpStream, NetFault> {
    let deadline = dialler.clock().now().after(within_time);
    within("dialling", dialler.dial(endpoint, deadline)).await
}

/// A listener whose queue is full: it takes no further connection, and refuses none.
struct Full {
    address: SocketAddr,
    _listener: TcpListener,
    _queued: Vec<TcpStream>,
}

impl Full {
    async fn on(address: SocketAddr) -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind(address).expect("a free port");
        let listener = socket.listen(1).expect("a short queue");
        let address = listener.local_addr().expect("an address");
        let mut queued = Vec::new();
        // Until one is left waiting.
        while let Ok(stream) =
            tokio::time::timeout(Duration::from_millis(200), TcpStream::connect(address)).await
        {
            queued.push(stream.expect("a place in the queue"));
        }
        Self {
            address,
            _listener: listener,
            _queued: queued,
        }
    }
}

#[tokio::test]
async fn a_port_where_nothing_listens_refuses() {
    let endpoint = Endpoint::new("127.0.0.1", free_port());
    let fault = dial(&dialler(), &endpoint, Duration::from_secs(5))
        .await
        .expect_err("refused");
    let cause = ConnectFault::Refused;
    assert_eq!(
        fault.to_string(),
        format!("connecting to {endpoint} failed: the connection was refused")
    );
    assert_eq!(fault, NetFault::Connect { endpoint, cause });
}

#[tokio::test]
async fn an_address_that_never_answers_does_not_outlast_the_deadline() {
    let full = Full::on(SocketAddr::from(([127, 0, 0, 1], 0))).await;
    let endpoint = Endpoint::new("127.0.0.1", full.address.port());
    let fault = dial(&dialler(), &endpoint, Duration::from_millis(300))
        .await
        .map(drop);
    let step = Step::Connecting;
    assert_eq!(fault, Err(NetFault::TimedOut { endpoint, step }));
}

#[tokio::test]
async fn the_next_address_is_tried_after_one_that_refuses_and_one_that_is_silent() {
    let listener = TcpListener::bind("127.0.0.4:0").await.expect("a listener");
    let port = listener.local_addr().expect("an address").port();
    let full = Full::on(SocketAddr::from(([127, 0, 0, 3], port))).await;
    let names = NameServer::start().await;
    let addresses = [2, 3, 4].map(|last| Ipv4Addr::new(127, 0, 0, last));
    names
        .say("many.example", Says::Addresses(addresses.to_vec()))
        .await;
    let endpoint = Endpoint::new("many.example", port);
    let stream = dial(&names.dialler(), &endpoint, Duration::from_secs(6)).await;
    let peer = stream.expect("a connection").peer_addr().expect("a peer");
    assert_eq!(peer, SocketAddr::from(([127, 0, 0, 4], port)));
    drop(full);
}

#[tokio::test]
async fn a_dial_that_is_given_up_leaves_nothing_behind() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a listener");
    let endpoint = Endpoint::new("127.0.0.1", listener.local_addr().expect("an address").port());
    let stream = dial(&dialler(), &endpoint, Duration::from_secs(5))
        .await
        .expect("a connection");
    let (peer, _) = listener.accept().await.expect("a connection");
    drop(stream);
    until("the peer sees the end", || async {
        let mut byte = [0];
        matches!(peer.try_read(&mut byte), Ok(0)).then_some(())
    })
    .await;
}
