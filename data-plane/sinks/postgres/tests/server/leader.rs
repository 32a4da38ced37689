//! Addresses of several hosts of which one takes writes.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array};
use nervix_sink::{Failure, FailureKind, Outcome, RowAnswer, RowSink, Rows, SinkClient};
use nervix_tests::postgres::{Postgres, USER};
use nervix_tests::wait::until;
use nspl_model::DataType;

use crate::stage::{address, client_def, emitter, open, rows, server, unresolved, world, written};

fn row(id: i64) -> Rows {
    let ids: ArrayRef = Arc::new(Int64Array::from(vec![id]));
    rows(&[("id", ids)])
}

/// What emitters share that write to the first of these hosts that takes writes.
fn connect(hosts: [&Postgres; 2]) -> Arc<dyn SinkClient> {
    let hosts = hosts.map(Postgres::address).join(",");
    let address = address(&hosts, USER, "sslmode=disable&target_session_attrs=read-write");
    let def = client_def((0, 1), &[("addr", &address)]);
    nervix_sink_postgres::connect(&def, world()).expect("a client")
}

async fn opened(client: &dyn SinkClient) -> Result<Box<dyn RowSink>, Failure> {
    open(client, emitter("events", &[("id", DataType::I64)], None)).await
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
