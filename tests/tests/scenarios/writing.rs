//! Writing in: typed answers, positions, differences, refusals, backpressure.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Int64Array, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Field, Schema};
use arrow_flight::FlightData;
use arrow_flight::encode::{DictionaryHandling, FlightDataEncoderBuilder};
use futures::TryStreamExt;
use nervix_proto::client::v1::answer::Status;
use nervix_tests::flight::Put;
use nervix_tests::proxy::Proxy;
use nervix_tests::rows::{ids, read_ids};
use nervix_tests::wait::must;
use tonic::Code;

use crate::graph::{Flood, Graph, batch, consumer, expand, schema, shared, write_all, writer};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_ack_answers_at_admission_without_any_consumer() {
    let server = Graph {
        ingestor_mode: "NO_ACK",
        ..Graph::default()
    }
    .serve()
    .await;
    let answers = write_all(&server, (0..5).map(|n| batch(n * 10, 10)).collect()).await;
    assert_eq!(answers, (0..5).map(|n| (n, Status::Done)).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_of_no_rows_is_done_at_once_and_nothing_is_sent() {
    let server = Graph::default().serve().await;
    let put = writer(&server).await;
    must("write", put.write(batch(0, 0)).await);
    let answers = must("finish", put.finish().await);
    assert_eq!(expand(answers), [(0, Status::Done)]);
    assert!(server.metric("nervix_messages_total").await < 1.0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_relay_without_an_attached_consumer_answers_done_at_once() {
    let server = Graph::default().serve().await;
    server.exec("USE d; DROP EMITTER outbox;");
    assert_eq!(write_all(&server, vec![batch(0, 3)]).await, [(0, Status::Done)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rows_that_the_filters_drop_are_done_and_never_delivered() {
    let graph = Graph {
        ingestor_filter: "FILTER WHERE input.id >= 10",
        source_filter: "WHERE input.id < 15",
        ..Graph::default()
    };
    let server = graph.serve().await;
    let put = writer(&server).await;
    must("write", put.write(batch(0, 20)).await);
    let mut consumer = consumer(&server).await;
    consumer.credit(1).await;
    let (delivery, rows) = consumer.delivery().await;
    assert_eq!(read_ids(&rows), (10..15).collect::<Vec<i64>>());
    consumer.ack(&delivery.r#ref).await;
    assert_eq!(expand(must("finish", put.finish().await)), [(0, Status::Done)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_different_schema_is_refused_and_every_difference_is_named_at_once() {
    let server = Graph::default().serve().await;
    let fields = vec![
        Field::new("id", DataType::Utf8, true),
        Field::new("surplus", DataType::Int64, true),
    ];
    let status = match Put::open(&server.ports().flight, "d", "inbox", shared(Schema::new(fields))).await {
        Err(status) => status,
        Ok(mut put) => must_fail(put.answer().await),
    };
    assert_eq!(status.code(), Code::InvalidArgument);
    for named in ["id", "surplus", "origin"] {
        assert!(
            status.message().contains(named),
            "`{named}` is not named: {}",
            status.message()
        );
    }
}

fn must_fail<T: std::fmt::Debug>(result: Result<T, tonic::Status>) -> tonic::Status {
    match result {
        Err(status) => status,
        Ok(value) => panic!("expected a refusal, got {value:?}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unknown_ingestor_is_not_found_by_its_name() {
    let server = Graph::default().serve().await;
    let schema = ids(0..0, "").schema();
    let status = match Put::open(&server.ports().flight, "d", "absent", schema).await {
        Err(status) => status,
        Ok(mut put) => must_fail(put.answer().await),
    };
    assert_eq!(status.code(), Code::NotFound);
    assert!(status.message().contains("absent"), "{}", status.message());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn malformed_metadata_is_named_and_has_no_effect() {
    let server = Graph::default().serve().await;
    let put = writer(&server).await;
    let mut spoilt = nervix_tests::flight::encode(&schema(), batch(0, 3)).remove(1);
    spoilt.app_metadata = (&b"{\"credit\": {\"batches\": \"many\"}}"[..]).into();
    must("send", put.send(spoilt).await);
    let mut put = put;
    let status = must_fail(put.answer().await);
    assert_eq!(status.code(), Code::InvalidArgument);
    assert!(status.message().contains("batches"), "{}", status.message());
    let next = writer(&server).await;
    must("write", next.write(batch(100, 1)).await);
    let mut consumer = consumer(&server).await;
    consumer.credit(10).await;
    let (delivery, rows) = consumer.delivery().await;
    assert_eq!(
        read_ids(&rows),
        [100],
        "the batch of the malformed message had an effect"
    );
    consumer.ack(&delivery.r#ref).await;
    assert_eq!(expand(must("finish", next.finish().await)), [(0, Status::Done)]);
}

/// The messages after the schema's that a stock Flight client sends, dictionaries kept.
async fn stock_messages(batch: RecordBatch) -> Vec<FlightData> {
    let encoder = FlightDataEncoderBuilder::new().with_dictionary_handling(DictionaryHandling::Resend);
    let messages = encoder.build(futures::stream::iter([Ok(batch)]));
    let messages: Vec<FlightData> = must("encode", messages.try_collect().await);
    messages.into_iter().skip(1).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wider_forms_of_stock_clients_are_taken_and_come_out_exact() {
    let server = Graph::default().serve().await;
    let keys = arrow::array::Int8Array::from(vec![0, 1, 0]);
    let words: ArrayRef = Arc::new(StringArray::from(vec!["ATL", "DTW"]));
    let origins = must(
        "a dictionary",
        arrow::array::DictionaryArray::try_new(keys, words),
    );
    let columns: [(&str, ArrayRef); 2] = [
        ("origin", Arc::new(origins)),
        ("id", Arc::new(Int64Array::from(vec![1, 2, 3]))),
    ];
    let wide = must("a batch", RecordBatch::try_from_iter(columns));
    let put = must(
        "open",
        Put::open(&server.ports().flight, "d", "inbox", wide.schema()).await,
    );
    for data in stock_messages(wide).await {
        must("send", put.send(data).await);
    }
    let mut consumer = consumer(&server).await;
    consumer.credit(1).await;
    let (delivery, rows) = consumer.delivery().await;
    assert_eq!(read_ids(&rows), [1, 2, 3]);
    let origins = rows.column_by_name("origin").expect("a column");
    assert_eq!(origins.data_type(), &DataType::Utf8);
    let origins: Vec<Option<&str>> = origins.as_string::<i32>().iter().collect();
    assert_eq!(origins, [Some("ATL"), Some("DTW"), Some("ATL")]);
    consumer.ack(&delivery.r#ref).await;
    assert_eq!(expand(must("finish", put.finish().await)), [(0, Status::Done)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_graph_makes_the_writer_wait_and_memory_stays_bounded() {
    let mut server = Graph {
        relay_options: "CAPACITY 4",
        ..Graph::default()
    }
    .serve()
    .await;
    let put = writer(&server).await;
    let before = server.process().resident_bytes();
    let mut flood = Flood::begin(put, 2_000);
    flood.stands_still().await;
    let grown = server.process().resident_bytes().saturating_sub(before);
    assert!(
        grown < 256 * 1024 * 1024,
        "{grown} bytes more while nobody consumes"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_writer_killed_in_the_middle_of_a_batch_leaves_no_half_batch() {
    let server = Graph::default().serve().await;
    let proxy = Proxy::before(&server.ports().flight).await;
    let torn = must(
        "open through the proxy",
        Put::open(proxy.address(), "d", "inbox", schema()).await,
    );
    must("write", torn.write(batch(0, 4)).await);
    let mut consumer = consumer(&server).await;
    consumer.credit(10).await;
    let (first, rows) = consumer.delivery().await;
    assert_eq!(read_ids(&rows), [0, 1, 2, 3]);
    consumer.ack(&first.r#ref).await;
    // A megabyte follows, of which the server sees a tenth.
    proxy.cut_after(100_000);
    must("write", torn.write(ids(1_000..2_000, &"x".repeat(1_000))).await);
    let mut torn = torn;
    while let Ok(Some(answer)) = torn.answer().await {
        assert_eq!(answer.last, 0, "half a batch was answered: {answer:?}");
    }
    let next = writer(&server).await;
    must("write", next.write(batch(100, 1)).await);
    let (delivery, rows) = consumer.delivery().await;
    assert_eq!(read_ids(&rows), [100], "half a batch had an effect");
    consumer.ack(&delivery.r#ref).await;
    assert_eq!(expand(must("finish", next.finish().await)), [(0, Status::Done)]);
}
