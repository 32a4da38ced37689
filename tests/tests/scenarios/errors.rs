//! Records that fail alone: null where none may be, expressions, error routes.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int64Array, RecordBatch, StringArray};
use arrow::datatypes::UInt32Type;
use nervix_proto::client::v1::answer::Status;
use nervix_tests::flight::Put;
use nervix_tests::rows::read_ids;
use nervix_tests::server::Nervix;
use nervix_tests::wait::must;

use crate::graph::{Flood, Graph, batch, consumer, consumer_of, describe, expand, schema, writer};

const ERROR_ROUTE: &str = "
    CREATE SCHEMA failure (reference STRING, code STRING, operation STRING, step U32 OPTIONAL,
      fields VEC<STRING> OPTIONAL, message STRING, id I64 OPTIONAL, origin STRING OPTIONAL);
    CREATE RELAY failures SCHEMA failure UNBRANCHED CAPACITY 1;
    CREATE EMITTER failed FROM failures TO CLIENT SCHEMA failure
      MODE ACK PARALLEL MAX 8 ACK TIMEOUT 30s RETRY POLICY BACKOFF 10ms MAX 100ms
      INHERIT ALL BATCH MAX MESSAGES 1000 MAX SIZE 1MiB FLUSH IMMEDIATE
      ON MESSAGE ERROR LOG ON GENERAL ERROR LOG;";

const SEND_TO: &str = "SEND TO failures SET reference = error.reference, code = error.code,
    operation = error.operation, step = error.operation_index, fields = error.fields,
    message = error.message, id = input.id";

const SEND_ROW_TO: &str = "SEND TO failures SET reference = error.reference, code = error.code,
    operation = error.operation, message = error.message, id = input.id, origin = input.origin";

fn with_error_route(graph: Graph) -> Graph {
    Graph {
        more: ERROR_ROUTE,
        ..graph
    }
}

fn words(batch: &RecordBatch, column: &str) -> Vec<String> {
    let column = batch
        .column_by_name(column)
        .and_then(|found| found.as_any().downcast_ref::<StringArray>());
    let column = column.expect("a STRING column");
    (0..column.len())
        .map(|row| column.value(row).to_owned())
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_expression_error_in_one_row_of_a_thousand_takes_that_row_alone() {
    let graph = with_error_route(Graph {
        construction: "SET origin = lower(input.origin), id = 1000 / (input.id - 500)",
        emitter_error: SEND_TO,
        ..Graph::default()
    });
    let server = graph.serve().await;
    let put = writer(&server).await;
    must("write", put.write(batch(0, 1000)).await);
    let mut good = consumer(&server).await;
    let mut failed = consumer_of(&server, "failed").await;
    good.credit(1).await;
    failed.credit(1).await;
    let (delivery, rows) = good.delivery().await;
    let others: Vec<i64> = (0..1000).filter(|id| *id != 500).collect();
    assert_eq!(
        read_ids(&rows),
        others.iter().map(|id| 1000 / (id - 500)).collect::<Vec<_>>()
    );
    good.ack(&delivery.r#ref).await;
    let (error, row) = failed.delivery().await;
    assert_eq!(
        (words(&row, "code"), words(&row, "operation")),
        (vec!["evaluation".into()], vec!["construct".into()])
    );
    assert_eq!(read_ids(&row), [500]);
    let step = row
        .column_by_name("step")
        .expect("a column")
        .as_primitive::<UInt32Type>();
    assert_eq!(
        step.iter().collect::<Vec<_>>(),
        [Some(1)],
        "the second item of SET"
    );
    let fields = row.column_by_name("fields").expect("a column").as_list::<i32>();
    let fields = fields.value(0);
    assert_eq!(fields.as_string::<i32>().iter().collect::<Vec<_>>(), [Some("id")]);
    let message = &words(&row, "message")[0];
    assert!(
        message.contains("division by zero") && !message.chars().any(|letter| letter.is_ascii_digit()),
        "a value is quoted: {message}"
    );
    let reference = &words(&row, "reference")[0];
    let parts: Vec<&str> = reference.split('-').collect();
    assert!(
        reference.len() == 36 && parts.len() == 5 && parts[2].starts_with('7'),
        "a UUID of version 7: {reference}"
    );
    failed.ack(&error.r#ref).await;
    assert_eq!(expand(must("finish", put.finish().await)), [(0, Status::Done)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_row_waits_for_the_consumer_of_its_error_record() {
    let graph = with_error_route(Graph {
        ingestor_construction: "INHERIT origin SET id = 10 / input.id",
        ingestor_error: SEND_TO,
        ..Graph::default()
    });
    let server = graph.serve().await;
    let mut put = writer(&server).await;
    must("write", put.write(batch(0, 1)).await);
    must("write", put.write(batch(10, 1)).await);
    let mut good = consumer(&server).await;
    good.credit(1).await;
    let (delivery, _) = good.delivery().await;
    good.ack(&delivery.r#ref).await;
    let first = must("an answer", put.answer().await).expect("the stream goes on");
    assert_eq!((first.first, first.status()), (1, Status::Done));
    let mut failed = consumer_of(&server, "failed").await;
    failed.credit(1).await;
    let (error, _) = failed.delivery().await;
    failed.ack(&error.r#ref).await;
    let second = must("an answer", put.answer().await).expect("the stream goes on");
    assert_eq!((second.first, second.status()), (0, Status::Done));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_null_in_a_required_field_rejects_that_row_alone() {
    reject_the_null(false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_null_that_the_writers_schema_rules_out_rejects_that_row_alone() {
    reject_the_null(true).await;
}

async fn reject_the_null(ruled_out: bool) {
    let graph = with_error_route(Graph {
        ingestor_error: SEND_TO,
        ..Graph::default()
    });
    let server = graph.serve().await;
    let ids: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None, Some(3)]));
    let origins: ArrayRef = Arc::new(StringArray::from(vec!["ATL", "ATL", "ATL"]));
    let rows = must(
        "a batch",
        RecordBatch::try_from_iter([("id", ids), ("origin", origins)]),
    );
    let said = if ruled_out { schema() } else { rows.schema() };
    assert_eq!(said.field(0).is_nullable(), !ruled_out);
    let put = must(
        "open",
        Put::open(&server.ports().flight, "d", "inbox", said).await,
    );
    must("write", put.write(rows).await);
    let mut good = consumer(&server).await;
    let mut failed = consumer_of(&server, "failed").await;
    good.credit(1).await;
    failed.credit(1).await;
    let (delivery, rows) = good.delivery().await;
    assert_eq!(read_ids(&rows), [1, 3]);
    good.ack(&delivery.r#ref).await;
    let (error, row) = failed.delivery().await;
    assert_eq!(
        (words(&row, "code"), words(&row, "operation")),
        (vec!["validation".into()], vec!["decode".into()])
    );
    failed.ack(&error.r#ref).await;
    assert_eq!(expand(must("finish", put.finish().await)), [(0, Status::Done)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_row_too_large_for_a_batch_is_rejected_alone_and_its_neighbours_arrive() {
    let graph = with_error_route(Graph {
        batch: "BATCH MAX MESSAGES 1000 MAX SIZE 4KiB",
        emitter_error: SEND_TO,
        ..Graph::default()
    });
    let server = graph.serve().await;
    let ids: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
    let origins: ArrayRef = Arc::new(StringArray::from(vec![
        "a".to_owned(),
        "b".repeat(8192),
        "c".to_owned(),
    ]));
    let rows = must(
        "a batch",
        RecordBatch::try_from_iter_with_nullable([("id", ids, false), ("origin", origins, false)]),
    );
    let put = writer(&server).await;
    must("write", put.write(rows).await);
    let mut good = consumer(&server).await;
    let mut failed = consumer_of(&server, "failed").await;
    good.credit(2).await;
    failed.credit(1).await;
    let mut seen = Vec::new();
    while seen.len() < 2 {
        let (delivery, rows) = good.delivery().await;
        seen.extend(read_ids(&rows));
        good.ack(&delivery.r#ref).await;
    }
    assert_eq!(seen, [1, 3]);
    let (error, row) = failed.delivery().await;
    assert_eq!(
        (words(&row, "code"), words(&row, "operation")),
        (vec!["validation".into()], vec!["encode".into()])
    );
    assert!(
        words(&row, "message")[0].contains("4KiB"),
        "{:?}",
        words(&row, "message")
    );
    failed.ack(&error.r#ref).await;
    assert_eq!(expand(must("finish", put.finish().await)), [(0, Status::Done)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_error_relay_makes_the_way_in_wait_and_loses_nothing() {
    full_error_relay(Graph {
        ingestor_construction: "INHERIT origin SET id = 1 / (input.id - input.id)",
        ingestor_error: SEND_ROW_TO,
        ..Graph::default()
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_error_relay_of_an_emitter_makes_the_way_in_wait_and_loses_nothing() {
    full_error_relay(Graph {
        construction: "INHERIT origin SET id = 1 / (input.id - input.id)",
        emitter_error: SEND_ROW_TO,
        ..Graph::default()
    })
    .await;
}

/// Every row of the graph fails and becomes an error record of a kilobyte.
async fn full_error_relay(graph: Graph) {
    let server = with_error_route(graph).serve().await;
    let good = consumer(&server).await;
    good.credit(1).await;
    let batches = 400;
    let mut flood = Flood::begin(writer(&server).await, batches);
    flood.stands_still().await;
    let full = server.metric_of("nervix_relay_buffer_len", "target=\"failures\"");
    assert_eq!(full.await, 1.0, "CAPACITY 1: the error relay is what is full");
    // It drains, what waited goes on, and comes whole.
    let mut failed = consumer_of(&server, "failed").await;
    failed.credit(u32::MAX).await;
    let reading = async {
        let mut seen = BTreeSet::new();
        let mut records = 0;
        while records < batches * 1_000 {
            let (delivery, rows) = failed.delivery().await;
            records += rows.num_rows() as i64;
            seen.extend(read_ids(&rows));
            failed.ack(&delivery.r#ref).await;
            failed.outcome(&delivery.r#ref).await;
        }
        assert_eq!(seen, (0..batches * 1_000).collect(), "each once");
    };
    let (answers, ()) = tokio::join!(flood.answers(), reading);
    let all_done: Vec<(u64, Status)> = (0..batches as u64).map(|batch| (batch, Status::Done)).collect();
    assert_eq!(answers, all_done);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_quotes_a_value_of_a_record() {
    let graph = Graph {
        ingestor_construction: "INHERIT id SET origin = input.origin AS I64 AS STRING",
        ..Graph::default()
    };
    let mut server = graph.serve().await;
    let planted = nervix_tests::rows::ids(7..8, "planted-9f81");
    let put = writer(&server).await;
    must("write", put.write(planted).await);
    assert_eq!(expand(must("finish", put.finish().await)), [(0, Status::Done)]);
    let (_, metrics) = server.page("/metrics").await;
    let described: String = describe(&server)
        .into_iter()
        .map(|(key, value)| key + &value)
        .collect();
    for (place, text) in [
        ("log", printed(&mut server)),
        ("metrics", metrics),
        ("DESCRIBE", described),
    ] {
        assert!(!text.contains("planted-9f81"), "a value stands in the {place}");
    }
}

fn printed(server: &mut Nervix) -> String {
    server.process().printed()
}
