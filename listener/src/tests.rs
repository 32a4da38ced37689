//! Peers that are too many, and peers that say nothing.

use std::time::Duration;

use futures::StreamExt;
use nervix_clock::{ManualClock, PhysicalClock};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

use super::{Connections, FIRST_WORD_MAX, Protocol, Terms};

async fn listen(connections_max: usize, clock: PhysicalClock) -> (Connections, std::net::SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let terms = Terms {
        title: "test",
        connections_max,
        protocol: Protocol::Http2,
    };
    (Connections::new(listener, terms, clock), address)
}

#[tokio::test]
async fn past_the_bound_the_newest_is_closed_and_there_is_room_again_when_one_goes() {
    let (mut connections, address) = listen(1, PhysicalClock::system()).await;
    let _first = TcpStream::connect(address).await.unwrap();
    let held = connections.next().await.unwrap().unwrap();
    assert!(held.nodelay().unwrap());
    let mut second = TcpStream::connect(address).await.unwrap();
    let mut byte = [0];
    tokio::select! {
        other = connections.next() => panic!("taken: {other:?}"),
        read = second.read(&mut byte) => assert!(matches!(read, Ok(0) | Err(_)), "{read:?}"),
    }
    assert_eq!(connections.turned_away, 1);
    drop(held);
    let _third = TcpStream::connect(address).await.unwrap();
    connections.next().await.unwrap().unwrap();
}

#[tokio::test]
async fn a_peer_that_says_nothing_is_closed_in_time_and_one_that_spoke_is_not() {
    let clock = ManualClock::new();
    let (mut connections, address) = listen(2, clock.physical()).await;
    let _silent = TcpStream::connect(address).await.unwrap();
    let mut silent = connections.next().await.unwrap().unwrap();
    let mut speaking = TcpStream::connect(address).await.unwrap();
    let mut spoken = connections.next().await.unwrap().unwrap();
    speaking.write_all(&[1; 24]).await.unwrap();
    let mut bytes = [0; 24];
    spoken.read_exact(&mut bytes).await.unwrap();
    let waiting = async {
        let ended = silent.read(&mut bytes).await;
        assert_eq!(ended.unwrap_err().kind(), std::io::ErrorKind::TimedOut);
    };
    let advancing = async {
        clock.advance(FIRST_WORD_MAX + Duration::from_millis(1)).await;
    };
    tokio::join!(waiting, advancing);
    speaking.write_all(b"x").await.unwrap();
    let mut byte = [0];
    assert_eq!(spoken.read(&mut byte).await.unwrap(), 1);
}
