//! Memory pressure: past the node's budget ways in wait, DESCRIBE and a metric say so, and what is inside goes on.

use nervix_proto::client::v1::answer::Status;
use nervix_proto::client::v1::{Credit, client_message::Body as ClientBody};
use nspl_model::IngestMode;

use super::{
    model::{self, emitter, ingestor, relay},
    node::{TestNode, emits, ingests},
    peers::{Consumer, Writer, order_schema, orders},
};
use crate::{describe, metrics::Metrics};

/// Room for about ten batches.
const BUDGET: u64 = 256 * 1024;
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
