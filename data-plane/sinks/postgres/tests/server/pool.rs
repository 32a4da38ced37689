//! The pool of a client: how many connections it holds, and what becomes of them.

use std::sync::Arc;
use std::time::Duration;

use arrow::array::{ArrayRef, Int64Array};
use futures::FutureExt;
use futures::future::join_all;
use nervix_clock::PhysicalClock;
use nervix_sink::{FailureKind, RowAnswer, RowSink, Rows, SinkClient};
use nervix_sink_postgres::limits::STATEMENTS_MAX;
use nervix_tests::postgres::{Postgres, USER};
use nervix_tests::wait::until;
use nspl_model::DataType;

use crate::stage::{PASSWORD, connect, emitter, open, rows, server, written};

const COLUMNS: [(&str, DataType); 1] = [("id", DataType::I64)];

fn row(id: i64) -> Rows {
    let ids: ArrayRef = Arc::new(Int64Array::from(vec![id]));
    rows(&[("id", ids)])
}

async fn opened(client: &dyn SinkClient) -> Box<dyn RowSink> {
    open(client, emitter("events", &COLUMNS, None))
        .await
        .expect("it opens")
}

async fn connections(server: &Postgres) -> usize {
    let count = format!("SELECT count(*) FROM pg_stat_activity WHERE usename = '{USER}'");
    server.value(&count).await.parse().expect("a number")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_emitters_hold_max_connections_and_all_of_them_write() {
    let server = server().await;
    server.table("events", "id bigint").await;
    server
        .sql(
            "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.02); RETURN NEW; END $$;
             CREATE TRIGGER slow BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION slow()",
        )
        .await;
    let client = connect(&server, (2, 8));
    let mut sinks = join_all((0..100).map(|_| opened(client.as_ref()))).await;
    let rows: Vec<Rows> = (0..100).map(row).collect();
    let mut writing = Box::pin(join_all(
        sinks.iter_mut().zip(&rows).map(|(sink, row)| sink.write(row)),
    ));
    let mut most = 0;
    let answers = loop {
        let asked = connections(&server);
        tokio::select! {
            answers = &mut writing => break answers,
            found = asked => most = most.max(found),
        }
    };
    answers.iter().for_each(written);
    assert!((2..=8).contains(&most), "{most} connections");
    assert_eq!(server.value("SELECT count(DISTINCT id) FROM events").await, "100");
    assert!(connections(&server).await <= 8);
}

#[tokio::test]
async fn min_connections_are_made_when_an_emitter_opens_and_end_with_the_client() {
    let server = server().await;
    server.table("events", "id bigint").await;
    let client = connect(&server, (3, 5));
    assert_eq!(connections(&server).await, 0, "connecting opens nothing");
    let mut sink = opened(client.as_ref()).await;
    assert_eq!(connections(&server).await, 3);
    written(&sink.write(&row(1)).await);
    assert_eq!(connections(&server).await, 3);
    drop(sink);
    let deadline = PhysicalClock::system().now().after(Duration::from_secs(10));
    client.drain(deadline).await;
    until("the connections are closed", || async {
        (connections(&server).await == 0).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_connection_that_ended_unused_is_noticed_before_it_is_used() {
    let server = server().await;
    server.table("events", "id bigint").await;
    let client = connect(&server, (2, 2));
    let mut sink = opened(client.as_ref()).await;
    for id in 0..3 {
        server
            .sql(&format!(
                "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE usename = '{USER}'"
            ))
            .await;
        written(&sink.write(&row(id)).await);
    }
    assert_eq!(server.value("SELECT count(*) FROM events").await, "3");
}

#[tokio::test]
async fn a_server_without_a_place_left_is_awaited() {
    let server = Postgres::start_with(
        PASSWORD,
        "max_connections = 6\nsuperuser_reserved_connections = 3\nmax_wal_senders = 0",
    )
    .await;
    server.table("events", "id bigint").await;
    let greedy = connect(&server, (3, 3));
    let _held = opened(greedy.as_ref()).await;
    assert_eq!(connections(&server).await, 3);
    let client = connect(&server, (0, 1));
    let Err(failure) = open(client.as_ref(), emitter("events", &COLUMNS, None)).await else {
        panic!("there is a place");
    };
    assert_eq!(failure.kind, FailureKind::Throttled);
    assert!(failure.message.as_str().contains("53300"), "{}", failure.message);
    greedy
        .drain(PhysicalClock::system().now().after(Duration::from_secs(10)))
        .await;
    until("a place is free", || async {
        (connections(&server).await == 0).then_some(())
    })
    .await;
    let mut sink = opened(client.as_ref()).await;
    written(&sink.write(&row(1)).await);
}

#[tokio::test]
async fn what_is_given_up_ends_at_the_server_too_and_leaves_the_pool_whole() {
    let server = server().await;
    server.table("events", "id bigint").await;
    let client = connect(&server, (0, 1));
    let mut sink = opened(client.as_ref()).await;
    let (blocker, _driver) = server.client().await;
    blocker
        .batch_execute("BEGIN; LOCK TABLE events")
        .await
        .expect("a lock");
    let waits = || async {
        let waiting = format!(
            "SELECT count(*) FROM pg_stat_activity WHERE usename = '{USER}' AND wait_event_type = 'Lock'"
        );
        server.value(&waiting).await
    };
    {
        let first = row(1);
        let mut write = sink.write(&first);
        until("the insert waits for the lock", || {
            assert!((&mut write).now_or_never().is_none(), "it waits");
            let waits = waits();
            async move { (waits.await == "1").then_some(()) }
        })
        .await;
    }
    until("the server has given it up, too", || async {
        (waits().await == "0").then_some(())
    })
    .await;
    blocker.batch_execute("ROLLBACK").await.expect("it is over");
    written(&sink.write(&row(2)).await);
    assert_eq!(
        server.value("SELECT string_agg(id::text, ',') FROM events").await,
        "2"
    );
}

/// After each insert into `table` it is noted in `seen` how many statements the session keeps; then `does` is done.
async fn watch(server: &Postgres, table: &str, does: &str) {
    server
        .sql(&format!(
            "CREATE TABLE IF NOT EXISTS seen (statements bigint);
             CREATE OR REPLACE FUNCTION look() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
               INSERT INTO seen SELECT count(*) FROM pg_prepared_statements; {does} RETURN NULL; END $$;
             CREATE TRIGGER look AFTER INSERT ON {table} EXECUTE FUNCTION look()"
        ))
        .await;
}

#[tokio::test]
async fn a_connection_keeps_the_statements_of_its_emitters_up_to_a_bound() {
    let server = server().await;
    let client = connect(&server, (0, 1));
    let mut sinks = Vec::new();
    for table in (0..STATEMENTS_MAX + 2).map(|n| format!("events{n}")) {
        server.table(&table, "id bigint").await;
        watch(&server, &table, "").await;
        let sink = open(client.as_ref(), emitter(&table, &COLUMNS, None)).await;
        sinks.push(sink.expect("it opens"));
    }
    for _ in 0..2 {
        for sink in &mut sinks {
            written(&sink.write(&row(1)).await);
        }
    }
    let seen = server
        .value("SELECT min(statements) || ' to ' || max(statements) FROM seen")
        .await;
    assert_eq!(seen, format!("1 to {STATEMENTS_MAX}"));
}

#[tokio::test]
async fn a_session_that_lost_its_statements_is_closed_and_its_rows_are_kept() {
    let server = server().await;
    server.table("events", "id bigint").await;
    watch(&server, "events", "EXECUTE 'DEALLOCATE ALL';").await;
    let client = connect(&server, (0, 1));
    let mut sink = opened(client.as_ref()).await;
    written(&sink.write(&row(1)).await);
    let RowAnswer::Unresolved(failure) = sink.write(&row(2)).await else {
        panic!("the statement is there");
    };
    assert!(failure.message.as_str().contains("26000"), "{}", failure.message);
    written(&sink.write(&row(2)).await);
    assert_eq!(server.value("SELECT count(*) FROM events").await, "2");
}
