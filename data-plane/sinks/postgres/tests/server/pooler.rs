//! PgBouncer between the sink and the server.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, StringArray};
use nervix_sink::{RowAnswer, RowSink, Rows};
use nervix_tests::postgres::{Pooler, Postgres, USER};
use nspl_model::DataType;

use crate::stage::{PASSWORD, address, client_def, emitter, open, rows, server, world, written};

const COLUMNS: [(&str, DataType); 2] = [("id", DataType::I64), ("at", DataType::String)];

fn row(id: i64) -> Rows {
    let ids: ArrayRef = Arc::new(Int64Array::from(vec![id]));
    // Without a zone: that of the session counts.
    let at: ArrayRef = Arc::new(StringArray::from(vec!["2026-01-02 03:04:05"]));
    rows(&[("id", ids), ("at", at)])
}

/// A server, a PgBouncer of this `pool_mode` with two sessions before it, and sinks through it that hold a connection each.
async fn sinks(mode: &str, count: usize) -> (Postgres, Pooler, Vec<Box<dyn RowSink>>) {
    let server = server().await;
    server.table("events", "id bigint, at timestamptz").await;
    let pooler = Pooler::start(&server, PASSWORD, mode).await;
    let address = address(&pooler.address(), USER, "sslmode=disable");
    let mut sinks = Vec::new();
    for _ in 0..count {
        let client = nervix_sink_postgres::connect(&client_def((1, 1), &[("addr", &address)]), world());
        let client = client.expect("a client");
        let sink = open(client.as_ref(), emitter("events", &COLUMNS, None)).await;
        sinks.push(sink.expect("it opens"));
    }
    (server, pooler, sinks)
}

/// How many rows there are, and at which instants.
async fn stored(server: &Postgres) -> String {
    let stored =
        "SELECT count(*) || ' at ' || string_agg(DISTINCT at AT TIME ZONE 'UTC' || '', ', ') FROM events";
    server.value(stored).await
}

#[tokio::test]
async fn a_pooler_that_gives_each_connection_a_session_is_written_through() {
    let (server, _pooler, mut sinks) = sinks("session", 2).await;
    for id in 0..20 {
        for sink in &mut sinks {
            written(&sink.write(&row(id)).await);
        }
    }
    assert_eq!(stored(&server).await, "40 at 2026-01-02 03:04:05");
}

#[tokio::test]
async fn a_pooler_that_changes_the_session_with_each_transaction_is_told_and_blames_no_row() {
    let (server, _pooler, mut sinks) = sinks("transaction", 3).await;
    let (mut landed, mut told) = (0, Vec::new());
    for id in 0..20 {
        for sink in &mut sinks {
            match sink.write(&row(id)).await {
                RowAnswer::Unresolved(failure) => told.push(failure.message.to_string()),
                answer => {
                    written(&answer);
                    landed += 1;
                }
            }
        }
    }
    assert!(told.iter().any(|told| told.contains("26000")), "{told:?}");
    assert_eq!(stored(&server).await, format!("{landed} at 2026-01-02 03:04:05"));
}
