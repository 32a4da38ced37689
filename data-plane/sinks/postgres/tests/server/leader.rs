//! Addresses of several hosts of which one takes writes.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array};
use nervix_sink::{Failure, FailureKind, Outcome, RowAnswer, RowSink, Rows, SinkClient};
use nervix_tests::postgres::{Postgres, USER};
use nervix_tests::wait::until;
use nspl_model::DataType;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::stage::{address, client_def, emitter, open, rows, server, unresolved, world, written};

fn row(id: i64) -> Rows {
    let ids: ArrayRef = Arc::new(Int64Array::from(vec![id]));
    rows(&[("id", ids)])
}

/// What emitters share that write to the first of these hosts that takes writes.
fn connect(hosts: [&Postgres; 2]) -> Arc<dyn SinkClient> {
    among(&hosts.map(Postgres::address), "target_session_attrs=read-write")
}

/// What emitters share that write to one of these hosts.
fn among(hosts: &[String], parameters: &str) -> Arc<dyn SinkClient> {
    let address = address(&hosts.join(","), USER, &format!("sslmode=disable&{parameters}"));
    let def = client_def((0, 1), &[("addr", &address)]);
    nervix_sink_postgres::connect(&def, world()).expect("a client")
}

async fn opened(client: &dyn SinkClient) -> Result<Box<dyn RowSink>, Failure> {
    open(client, emitter("events", &[("id", DataType::I64)], None)).await
}

/// A host that answers each login with this SQLSTATE.
async fn refuses(code: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let fields = format!("SFATAL\0C{code}\0Mnot now\0\0");
    let length = u32::try_from(fields.len() + 4).expect("a small message");
    let answer = [b"E", &length.to_be_bytes()[..], fields.as_bytes()].concat();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _login = stream.read(&mut [0; 1024]).await.expect("a login");
            stream.write_all(&answer).await.expect("it is read");
        }
    });
    address
}

async fn stored(server: &Postgres) -> String {
    server
        .value("SELECT coalesce(string_agg(id::text, ',' ORDER BY id), '') FROM events")
        .await
}

#[tokio::test]
async fn a_standby_is_passed_over_and_followed_when_it_leads() {
    let mut leader = server().await;
    leader.table("events", "id bigint").await;
    let standby = leader.standby().await;
    let client = connect([&standby, &leader]);
    let mut sink = opened(client.as_ref()).await.expect("it opens");
    written(&sink.write(&row(1)).await);
    let follows = || async { (stored(&standby).await == "1").then_some(()) };
    until("the standby has followed", follows).await;
    leader.kill();
    unresolved(sink.write(&row(2)).await);
    let failure = unresolved(sink.write(&row(2)).await);
    assert_eq!(
        (failure.kind, failure.message.as_str()),
        (
            FailureKind::Unavailable,
            "Postgres takes no writes here, and target_session_attrs=read-write asks for a host that does"
        )
    );
    standby.sql("SELECT pg_promote()").await;
    written(&sink.write(&row(2)).await);
    assert_eq!(stored(&standby).await, "1,2");
}

#[tokio::test]
async fn a_host_that_stops_taking_writes_is_left_for_another() {
    let (first, second) = (server().await, server().await);
    for server in [&first, &second] {
        server.table("events", "id bigint").await;
    }
    let client = connect([&first, &second]);
    let mut sink = opened(client.as_ref()).await.expect("it opens");
    written(&sink.write(&row(1)).await);
    assert_eq!(stored(&first).await, "1");
    first
        .sql("ALTER SYSTEM SET default_transaction_read_only = on")
        .await;
    first.sql("SELECT pg_reload_conf()").await;
    // A session hears of it between two statements.
    let refused = loop {
        match sink.write(&row(2)).await {
            RowAnswer::All(Outcome::Delivered(_)) => assert_eq!(stored(&second).await, ""),
            answer => break unresolved(answer),
        }
    };
    assert!(refused.message.as_str().contains("25006"), "{}", refused.message);
    written(&sink.write(&row(3)).await);
    assert_eq!(stored(&second).await, "3");
}

#[tokio::test]
async fn a_host_that_takes_a_connection_and_no_login_leaves_time_for_the_next() {
    let server = server().await;
    server.table("events", "id bigint").await;
    let silent = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let silent_at = silent.local_addr().expect("an address").to_string();
    let client = among(&[silent_at, server.address()], "connect_timeout=2");
    let mut sink = opened(client.as_ref()).await.expect("it opens");
    written(&sink.write(&row(1)).await);
    assert_eq!(stored(&server).await, "1");
}

#[tokio::test]
async fn a_host_that_cannot_now_is_left_for_the_next_and_credentials_are_refused_for_all() {
    let server = server().await;
    server.table("events", "id bigint").await;
    for code in ["57P03", "53300"] {
        let client = among(&[refuses(code).await, server.address()], "connect_timeout=20");
        let mut sink = opened(client.as_ref()).await.expect("it opens");
        written(&sink.write(&row(1)).await);
    }
    let client = among(&[refuses("28P01").await, server.address()], "connect_timeout=20");
    let Err(failure) = opened(client.as_ref()).await else {
        panic!("it opens");
    };
    assert_eq!(failure.kind, FailureKind::Unauthorized);
    let client = among(
        &[refuses("57P03").await, refuses("53300").await],
        "connect_timeout=20",
    );
    let Err(failure) = opened(client.as_ref()).await else {
        panic!("it opens");
    };
    assert!(failure.message.as_str().contains("57P03"), "{}", failure.message);
}
