//! Requests a second of an HTTP emitter, beside a bare client that sends the same bytes over a raw socket, one request
//! after the other, and closes each connection. The endpoint is this process, for both.

use std::io::{Read, Write};
use std::time::Duration;

use nervix_tests::process::Process;
use nervix_tests::server::Nervix;
use nervix_tests::wait::{must, within};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Instant;

use crate::bound::Bound;
use crate::report::{Report, Row, SERVER_CORE, pin};
use crate::runs::Runs;
use crate::{graph, peer};

/// Runs of each side, taken in turns.
const RUNS: usize = 5;
/// Requests of a run; fewer than a machine has ports for.
const REQUESTS: usize = 10_000;
/// Requests before the time is taken.
const WARM_UP: usize = 500;
/// Bytes of the text in each body.
const WIDTH: usize = 100;

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
const HEAD_END: &[u8] = b"\r\n\r\n";

/// Measures both sides.
pub(crate) async fn measure(report: &mut Report) {
    let mut pairs = Vec::new();
    for _ in 0..RUNS {
        let (ours, request) = run_nervix().await;
        pairs.push((ours, run_bare(&request).await));
    }
    let figures = |side: Vec<f64>| Runs::of(side).text(|rate| format!("{rate:.0}")) + " requests/s";
    report.row(Row {
        what: "HTTP emitter, one request a record of 128 bytes of JSON, a connection each",
        nervix: figures(pairs.iter().map(|(ours, _)| *ours).collect()),
        beside: format!("bare: {}", figures(pairs.iter().map(|(_, bare)| *bare).collect())),
        ratio: Some(Runs::of(pairs.iter().map(|(ours, bare)| ours / bare))),
        bound: Bound::AtLeast(0.9),
    });
}

/// The rate, and the bytes of one request, for the other side to send.
async fn run_nervix() -> (f64, Vec<u8>) {
    let listener = must("listen", TcpListener::bind(("127.0.0.1", 0)).await);
    let port = must("ask for the port", listener.local_addr()).port();
    let mut server = Nervix::dev().await;
    server.exec(&graph::requests(port));
    pin(server.process().id(), SERVER_CORE);
    let put = peer::put(&server.ports().flight).await;
    let rows = i64::try_from(REQUESTS).unwrap_or(i64::MAX);
    must("write", put.write(peer::batch(0, rows, WIDTH, 0)).await);
    answer_all(&listener).await
}

async fn run_bare(request: &[u8]) -> f64 {
    let listener = must("listen", TcpListener::bind(("127.0.0.1", 0)).await);
    let address = must("ask for the port", listener.local_addr()).to_string();
    let folder = must("make a folder", tempfile::tempdir());
    let file = folder.path().join("request");
    must("write the request", std::fs::write(&file, request));
    let mut command = std::process::Command::new(must("find this program", std::env::current_exe()));
    command.arg("bare-requests").arg(&address).arg(&file);
    let client = Process::start("the bare client", command, &folder.path().join("bare.log"));
    pin(client.id(), SERVER_CORE);
    answer_all(&listener).await.0
}

/// Answers all requests of a run; gives their rate and the bytes of the last one.
async fn answer_all(listener: &TcpListener) -> (f64, Vec<u8>) {
    let mut request = Vec::new();
    let mut started = Instant::now();
    for nth in 0..REQUESTS {
        if nth == WARM_UP {
            started = Instant::now();
        }
        let accepted = within("a request", listener.accept()).await;
        let (mut stream, _) = must("accept", accepted);
        read_request(&mut stream, &mut request).await;
        must("answer", stream.write_all(ANSWER).await);
    }
    let rate = (REQUESTS - WARM_UP) as f64 / started.elapsed().as_secs_f64();
    (rate, request)
}

/// Reads one request with its body.
async fn read_request(stream: &mut TcpStream, request: &mut Vec<u8>) {
    request.clear();
    loop {
        assert!(
            must("read", stream.read_buf(request).await) > 0,
            "a request broke off"
        );
        let Some(at) = request
            .windows(HEAD_END.len())
            .position(|window| window == HEAD_END)
        else {
            continue;
        };
        let head = String::from_utf8_lossy(&request[..at]);
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("Content-Length: "));
        let length: usize = length.and_then(|length| length.parse().ok()).unwrap_or(0);
        if request.len() >= at + HEAD_END.len() + length {
            return;
        }
    }
}

/// The baseline, in a process of its own: blocking calls on a raw socket, nothing between them.
pub(crate) fn send_bare(address: &str, file: &str) {
    let request = must("read the request", std::fs::read(file));
    let mut answer = [0; 1024];
    for _ in 0..REQUESTS {
        let mut stream = must("connect", std::net::TcpStream::connect(address));
        must("set no delay", stream.set_nodelay(true));
        must(
            "bound the wait",
            stream.set_read_timeout(Some(Duration::from_secs(5))),
        );
        must("send", stream.write_all(&request));
        let mut read = 0;
        while !answer[..read]
            .windows(HEAD_END.len())
            .any(|window| window == HEAD_END)
        {
            read += must("read", stream.read(&mut answer[read..]));
        }
    }
}
