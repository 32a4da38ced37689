use futures::StreamExt;
use tokio::net::{TcpListener, TcpStream};

use super::connections;

#[tokio::test]
async fn small_messages_are_not_held_back() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut connections = connections(listener);
    let _peer = TcpStream::connect(address).await.unwrap();
    let accepted = connections.next().await.unwrap().unwrap();
    assert!(accepted.nodelay().unwrap());
}
