//! What the pages are made of, and who is let in to them.

use std::sync::Arc;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

use super::{CONNECTIONS_MAX, Pages, one_page, serve};

struct Empty;

impl Pages for Empty {
    fn metrics(&self) -> Vec<String> {
        Vec::new()
    }

    fn unready(&self) -> Option<String> {
        None
    }
}

#[tokio::test]
async fn no_number_of_half_heads_keeps_a_probe_out() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut servers = JoinSet::new();
    servers.spawn(serve(listener, Arc::new(Empty)));
    let mut silent = Vec::new();
    for _ in 0..3 * CONNECTIONS_MAX {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(b"GET /metrics HTTP/1.1\r\n").await.unwrap();
        silent.push(stream);
    }
    let mut probe = TcpStream::connect(address).await.unwrap();
    probe
        .write_all(b"GET /livez HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
        .await
        .unwrap();
    let mut answer = String::new();
    probe.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let ended = silent[0].read(&mut [0]).await;
    assert!(matches!(ended, Ok(0) | Err(_)), "the oldest is closed: {ended:?}");
}

#[test]
fn the_parts_make_one_page() {
    let parts = ["a 1\n# EOF\n".to_owned(), "b 2\n".to_owned()];
    assert_eq!(one_page(&parts), "a 1\nb 2\n");
}
