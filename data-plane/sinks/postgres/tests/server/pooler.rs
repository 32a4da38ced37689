//! PgBouncer between the sink and the server.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, StringArray};
use nervix_sink::{RowSink, Rows};
use nervix_tests::postgres::{Pooler, Postgres, USER};
use nspl_model::DataType;

use crate::stage::{PASSWORD, address, client_def, emitter, open, rows, server, unresolved, world, written};

const COLUMNS: [(&str, DataType); 2] = [("id", DataType::I64), ("at", DataType::String)];

fn row(id: i64) -> Rows {
    let ids: ArrayRef = Arc::new(Int64Array::from(vec![id]));
    // Without a zone: that of the session counts.
    let at: ArrayRef = Arc::new(StringArray::from(vec!["2026-01-02 03:04:05"]));
    rows(&[("id", ids), ("at", at)])
}

/// A server, a PgBouncer of this `pool_mode` with two sessions before it, and a sink through it that holds a connection.
async fn through(mode: &str) -> (Postgres, Pooler, Box<dyn RowSink>) {
    let server = server().await;
    server.table("events", "id bigint, at timestamptz").await;
    let pooler = Pooler::start(&server, PASSWORD, mode).await;
    let address = address(&pooler.address(), USER, "sslmode=disable");
    let client = nervix_sink_postgres::connect(&client_def((1, 1), &[("addr", &address)]), world());
    let client = client.expect("a client");
    let sink = open(client.as_ref(), emitter("events", &COLUMNS, None)).await;
    (server, pooler, sink.expect("it opens"))
}

/// Which rows there are, and at which instants.
async fn stored(server: &Postgres) -> String {
    let stored = "SELECT string_agg(id::text, ',' ORDER BY id) || ' at ' || string_agg(DISTINCT at AT TIME ZONE 'UTC' || '', ', ')
                  FROM events";
    server.value(stored).await
}

#[tokio::test]
async fn a_pooler_that_gives_each_connection_a_session_is_written_through() {
    let (server, pooler, mut sink) = through("session").await;
    written(&sink.write(&row(1)).await);
    let (other, _driver) = pooler.client().await;
    other.batch_execute("BEGIN").await.expect("the other session");
    written(&sink.write(&row(2)).await);
    assert_eq!(stored(&server).await, "1,2 at 2026-01-02 03:04:05");
}

#[tokio::test]
async fn a_pooler_that_changes_the_session_with_each_transaction_is_told_and_blames_no_row() {
    let (server, pooler, mut sink) = through("transaction").await;
    written(&sink.write(&row(1)).await);
    let (other, _driver) = pooler.client().await;
    other
        .batch_execute("BEGIN")
        .await
        .expect("it has the session that the sink had");
    let failure = unresolved(sink.write(&row(2)).await);
    assert!(failure.message.as_str().contains("26000"), "{}", failure.message);
    written(&sink.write(&row(2)).await);
    assert_eq!(stored(&server).await, "1,2 at 2026-01-02 03:04:05");
}
