//! Connections: too many of them, and what they may leave in memory.

use std::io::Read;
use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;

use nervix_tests::ports::free_port;
use nervix_tests::process::Process;
use nervix_tests::rows::ids;
use nervix_tests::server::{Nervix, executable};
use nervix_tests::wait::{must, until};

use crate::graph::{Graph, writer};

/// Whether the other side has closed it.
fn is_closed(stream: &mut TcpStream) -> bool {
    must(
        "bound the read",
        stream.set_read_timeout(Some(Duration::from_millis(20))),
    );
    match stream.read(&mut [0]) {
        Ok(read) => read == 0,
        Err(error) => !matches!(
            error.kind(),
            std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut
        ),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn past_the_bound_the_newest_connections_are_closed_and_the_others_go_on() {
    let bounds = ["--flight-max-connections", "8", "--control-max-connections", "16"];
    let mut server = Nervix::start(&[&["dev", "--ephemeral"], &bounds[..]].concat()).await;
    server.exec(&Graph::default().script());
    let put = writer(&server).await;
    let connect = || must("connect", TcpStream::connect(&server.ports().flight));
    let mut silent: Vec<TcpStream> = (0..30).map(|_| connect()).collect();
    until("the newest are closed", || {
        let closed = silent
            .iter_mut()
            .filter_map(|stream| is_closed(stream).then_some(()))
            .count();
        async move { (closed >= 22).then_some(()) }
    })
    .await;
    must("write", put.write(ids(0..0, "ATL")).await);
    assert_eq!(
        must("finish", put.finish().await).len(),
        1,
        "who is connected goes on"
    );
    server.exec("USE d; SHOW EMITTERS;");
    drop(silent);
    until("there is room again", || {
        let mut stream = connect();
        async move { (!is_closed(&mut stream)).then_some(()) }
    })
    .await;
    let printed = server.process().printed();
    let told = printed
        .lines()
        .filter(|line| line.contains("too many connections"));
    assert_eq!(told.count(), 1, "{printed}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_that_the_budget_has_no_room_for_stay_outside() {
    const WRITERS: usize = 30;
    const MESSAGE_BYTES: usize = 6 * 1024 * 1024;
    // Two fit, and one more may come in while another one becomes a payload, which waits for no room.
    const INSIDE: usize = 3;
    let graph = Graph {
        batch: "BATCH MAX MESSAGES 1000 MAX SIZE 7MiB",
        ..Graph::default()
    };
    let mut server = Nervix::start(&["dev", "--ephemeral", "--memory-budget", "16MiB"]).await;
    server.exec(&graph.script());
    let rest = server.process().resident_bytes();
    let payload = "x".repeat(MESSAGE_BYTES);
    let mut writers = Vec::new();
    for _ in 0..WRITERS {
        let put = writer(&server).await;
        must("write", put.write(ids(0..1, &payload)).await);
        writers.push(put);
    }
    until("all but what fits wait for room", || {
        let waiting = server.metric("nervix_budget_waiting");
        async move { (waiting.await >= (WRITERS - INSIDE) as f64).then_some(()) }
    })
    .await;
    let grown = server.process().resident_bytes().saturating_sub(rest);
    assert!(grown < (WRITERS * MESSAGE_BYTES / 3) as u64, "{grown} bytes more");
    let mut consumer = crate::graph::consumer(&server).await;
    consumer.credit(u32::MAX).await;
    for _ in 0..WRITERS {
        let (delivery, _) = consumer.delivery().await;
        consumer.ack(&delivery.r#ref).await;
    }
    for put in writers {
        assert_eq!(must("finish", put.finish().await).len(), 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_does_not_reach_its_control_plane_says_why() {
    let folder = must("a folder", tempfile::tempdir());
    let nobody = format!("127.0.0.1:{}", free_port());
    let mut command = Command::new(executable());
    command
        .args(["worker", "--server", &nobody, "--flight-addr", "127.0.0.1:0"])
        .args(["--http-addr", "127.0.0.1:0"])
        .current_dir(folder.path());
    let worker = Process::start("nervix worker", command, &folder.path().join("log"));
    until("it says why", || {
        let printed = worker.printed();
        let says = printed.contains("cannot be reached") && printed.contains("Connection refused");
        async move { says.then_some(()) }
    })
    .await;
}
