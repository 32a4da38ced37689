//! Memory pressure: past the node's budget ways in wait, DESCRIBE and a metric say so, and what is inside goes on.

use std::{cell::Cell, pin::pin};

use arrow_flight::encode::FlightDataEncoderBuilder;
use arrow_ipc::{CompressionType, writer::IpcWriteOptions};
use futures::TryStreamExt;
use nervix_proto::client::v1::answer::Status;
use nervix_proto::client::v1::{Ack, Credit, client_message::Body as ClientBody};
use nspl_model::IngestMode;

use super::{
    model::{self, emitter, ingestor, relay},
    node::{TestNode, emits, ingests},
    peers::{Consumer, Writer, data, descriptor, order_schema, orders},
};
use crate::{assignments::EntitySpec, describe, metrics::Metrics};

const BUDGET: u64 = 256 * 1024;
/// What other graphs hold of it; the rest is room for about two batches, less than the queues of one graph may hold.
const OTHERS: u64 = 192 * 1024;
const BATCHES: u64 = 40;
const ROWS: i64 = 1_000;

fn memory(node: &TestNode) -> String {
    let lines = describe::node(&node.surroundings);
    let memory = lines.into_iter().find(|(key, _)| *key == "memory");
    memory.expect("a line about memory").1
}

fn waiting(node: &TestNode) -> String {
    let text = Metrics::new("n1", &node.surroundings).text();
    let line = text
        .lines()
        .find(|line| line.starts_with("nervix_budget_waiting{"))
        .expect("the family is there");
    line.to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn past_the_budget_ways_in_wait_and_describe_and_a_metric_say_so_until_there_is_room() {
    let node = TestNode::with(BUDGET, 4 * 1024 * 1024).await;
    let source = relay("orders", model::orders(), None);
    node.run(vec![
        ingests(1, ingestor(IngestMode::Ack)),
        emits(1, emitter("out", source)),
    ])
    .await;
    assert!(memory(&node).ends_with("none waits"), "{}", memory(&node));
    let _others = node.surroundings.budget.charge(OTHERS);
    let mut consumer = Consumer::open(&node, "out").await.unwrap();
    let writer = Writer::open(&node, &order_schema()).await.unwrap();
    let writing = async {
        for batch in 0..BATCHES as i64 {
            writer.write(&orders(batch * ROWS..(batch + 1) * ROWS, 3)).await;
        }
    };
    let consuming = async {
        // Ways in may get in for a moment yet, while what is inside moves on.
        let says_so = || {
            memory(&node).contains(&format!("of {BUDGET} bytes, 1 ways in wait"))
                && waiting(&node).ends_with(" 1")
        };
        node.until("the writer waits, and both say so", says_so).await;
        let within = node.surroundings.budget.used();
        assert!(
            within <= 2 * BUDGET,
            "{within} bytes are held: one batch may be past the limit"
        );
        consumer.say(ClientBody::Credit(Credit { batches: 1_000 })).await;
        node.within(consumer.ack_rows((BATCHES as i64 * ROWS) as usize))
            .await
    };
    let ((), ids) = futures::join!(writing, consuming);
    assert_eq!(
        ids,
        (0..BATCHES as i64 * ROWS).collect::<Vec<_>>(),
        "nothing is lost"
    );
    let (answers, _) = node.within(writer.rest()).await;
    assert_eq!(answers.len() as u64, BATCHES);
    assert!(answers.values().all(|answer| answer.status() == Status::Done));
    assert!(memory(&node).ends_with("none waits"), "{}", memory(&node));
    assert!(waiting(&node).ends_with(" 0"), "{}", waiting(&node));
}

/// More refs than fit a message that waits for no room.
const REFS: usize = 5_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_ack_of_thousands_of_refs_is_heard_while_the_budget_is_full() {
    let node = TestNode::with(BUDGET, 4 * 1024 * 1024).await;
    let source = relay("orders", model::orders(), None);
    node.run(vec![
        ingests(1, ingestor(IngestMode::Ack)),
        emits(1, emitter("out", source)),
    ])
    .await;
    let _others = node.surroundings.budget.charge(OTHERS);
    let mut consumer = Consumer::with_credit(&node, "out", 1_000).await;
    let writer = Writer::open(&node, &order_schema()).await.unwrap();
    let writing = async {
        for batch in 0..BATCHES as i64 {
            writer.write(&orders(batch * ROWS..(batch + 1) * ROWS, 3)).await;
        }
    };
    let consuming = async {
        let budget = &node.surroundings.budget;
        let mut full = pin!(node.until("the writer waits", || budget.waiting() == 1));
        let mut refs = Vec::new();
        let mut rows = 0;
        loop {
            tokio::select! {
                biased;
                () = &mut full => break,
                (delivery, _) = consumer.delivery() => {
                    rows += delivery.rows as usize;
                    refs.push(delivery.r#ref);
                }
            }
        }
        let stale = |number| format!("a-ref-that-nobody-holds-any-more-{number:05}");
        refs.extend((refs.len()..REFS).map(stale));
        consumer.say(ClientBody::Ack(Ack { refs })).await;
        let left = BATCHES as usize * ROWS as usize - rows;
        node.within(consumer.ack_rows(left)).await;
    };
    futures::join!(writing, consuming);
    let (answers, _) = node.within(writer.rest()).await;
    assert!(answers.values().all(|answer| answer.status() == Status::Done));
    assert_eq!(answers.len() as u64, BATCHES);
}

/// Rows that weigh little as they are sent, and more than the whole budget unpacked.
const ALIKE: usize = 10_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_small_message_that_unpacks_past_the_budget_gets_in_beside_what_stays() {
    let node = TestNode::with(128 * 1024, 4 * 1024 * 1024).await;
    let source = relay("orders", model::orders(), None);
    node.run(vec![
        ingests(1, ingestor(IngestMode::Ack)),
        emits(1, emitter("out", source)),
    ])
    .await;
    let _state = node.surroundings.budget.charge(1024);
    let packed = IpcWriteOptions::default().try_with_compression(Some(CompressionType::ZSTD));
    let alike = orders(std::iter::repeat_n(7, ALIKE), 1);
    let encoder = FlightDataEncoderBuilder::new().with_options(packed.unwrap());
    let messages = encoder.build(futures::stream::iter([Ok(alike)]));
    let [mut schema, batch] = messages
        .try_collect::<Vec<_>>()
        .await
        .unwrap()
        .try_into()
        .unwrap();
    assert!(batch.data_body.len() < 60_000, "{}", batch.data_body.len());
    schema.flight_descriptor = Some(descriptor("ingestor", "in"));
    let writer = Writer::begin(&node, schema).await.unwrap();
    writer.send(batch).await;
    let mut consumer = Consumer::with_credit(&node, "out", 10).await;
    assert_eq!(node.within(consumer.ack_rows(ALIKE)).await, vec![7; ALIKE]);
    let (answers, _) = node.within(writer.rest()).await;
    assert_eq!(answers[&0].status(), Status::Done);
}

/// A copy of the graph under names of its own.
fn beside() -> Vec<EntitySpec> {
    let mut way_in = ingestor(IngestMode::Ack);
    way_in.name = "in_beside".into();
    way_in.routes[0].relay = relay("beside", model::orders(), None);
    let way_out = emitter("out_beside", relay("beside", model::orders(), None));
    vec![ingests(1, way_in), emits(1, way_out)]
}

/// Looks between which nothing goes in where a writer stands still.
const STILL_LOOKS: u32 = 100;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_graph_that_stands_still_leaves_room_for_the_others() {
    let node = TestNode::with(1024 * 1024, 4 * 1024 * 1024).await;
    let source = relay("orders", model::orders(), None);
    let mut graph = vec![
        ingests(1, ingestor(IngestMode::Ack)),
        emits(1, emitter("out", source)),
    ];
    graph.extend(beside());
    node.run(graph).await;
    let still = Writer::open(&node, &order_schema()).await.unwrap();
    let writing = async {
        for batch in 0..4 * BATCHES as i64 {
            still.write(&orders(batch * ROWS..(batch + 1) * ROWS, 3)).await;
        }
    };
    let others = async {
        let inlet = node.surroundings.directory.inlet(model::DOMAIN, "in").unwrap();
        let (last, looks) = (Cell::new(0), Cell::new(0));
        let stands_still = || {
            let written = inlet.traffic().written.messages();
            looks.set(if written == last.replace(written) {
                looks.get() + 1
            } else {
                0
            });
            written > 0 && looks.get() >= STILL_LOOKS
        };
        node.until("nothing goes in any more", stands_still).await;
        let mut schema = data(nervix_columns::ipc::schema_message(&order_schema()));
        schema.flight_descriptor = Some(descriptor("ingestor", "in_beside"));
        let writer = Writer::begin(&node, schema).await.unwrap();
        let mut consumer = Consumer::with_credit(&node, "out_beside", 1_000).await;
        let flows = async {
            for batch in 0..BATCHES as i64 {
                writer.write(&orders(batch * ROWS..(batch + 1) * ROWS, 3)).await;
            }
        };
        let all = (BATCHES as i64 * ROWS) as usize;
        let (ids, ()) = node
            .within(async { futures::join!(consumer.ack_rows(all), flows) })
            .await;
        assert_eq!(ids.len(), all);
        let (answers, _) = node.within(writer.rest()).await;
        assert_eq!(answers.len() as u64, BATCHES);
    };
    // The writer that stands still ends with the other's success.
    tokio::select! {
        biased;
        () = others => {}
        () = writing => panic!("all of it went into a graph that nobody consumes"),
    }
}
