//! What a broker refuses by its settings: records that a topic does not take, and clients that may not write.

use nervix_proto::client::v1::answer::Status;
use nervix_tests::error_records::error_records;
use nervix_tests::kafka::{Kafka, Operation, PASSWORD, USER};
use nervix_tests::wait::must;

use crate::kafka_graph::{KafkaGraph, TOPIC, events, ids_of, numbered, without_backoff, writer};
use crate::outside::{finish, line, trouble, until_well};

/// A compacted topic takes no record without a key, and the broker names those that it refuses a request for.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_record_without_a_key_is_rejected_alone_by_a_compacted_topic() {
    let kafka = Kafka::start().await;
    kafka
        .create_topic(TOPIC, 1, &[("cleanup.policy", "compact")])
        .await;
    let graph = KafkaGraph {
        relay: "BRANCHED BY by_tenant",
        keys: "BRANCHED BY by_tenant SET tenant = message.tenant",
        ..KafkaGraph::to(&kafka)
            .with(", 'linger.ms' = '500'")
            .in_mode(without_backoff())
    };
    let server = graph.serve().await;
    let put = writer(&server).await;
    let tenant = |id: i64| (id % 50 != 7).then_some("acme");
    let rows: Vec<_> = (0..100).map(|id| (id, "n", tenant(id))).collect();
    must("write", put.write(events(&rows)).await);
    for failed in error_records(&server, 2).await {
        assert_eq!(failed.id % 50, 7);
        let message = failed.told();
        let expected = "external publish | kafka rejected record: the Kafka broker refuses a record of ";
        assert!(message.starts_with(expected), "{message}");
        assert!(message.contains("InvalidRecord"), "{message}");
    }
    assert_eq!(finish(put).await, [Status::Done]);
    let expected: Vec<i64> = (0..100).filter(|id| id % 50 != 7).collect();
    let read = ids_of(&kafka.read(TOPIC).await);
    assert_eq!(read, expected, "each other once, in order");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_may_not_write_is_told_so_and_goes_on_when_it_may() {
    let kafka = Kafka::start().await;
    kafka.create_topic(TOPIC, 1, &[]).await;
    kafka.allow(USER, Operation::Describe, TOPIC).await;
    let client = format!(
        ", 'security.protocol' = 'sasl_plaintext', 'sasl.mechanisms' = 'PLAIN',
         'sasl.username' = '{USER}', 'sasl.password' = '{PASSWORD}'"
    );
    let server = KafkaGraph::to_servers(kafka.sasl()).with(&client).serve().await;
    let put = writer(&server).await;
    must("write", put.write(numbered(0..10)).await);
    trouble(&server, "TopicAuthorizationFailed").await;
    assert_eq!(line(&server, "state").as_deref(), Some("unavailable"));
    assert!(kafka.read(TOPIC).await.is_empty());
    assert!(server.metric("nervix_emitter_rejected_total").await < 1.0);
    kafka.allow(USER, Operation::Write, TOPIC).await;
    assert_eq!(finish(put).await, [Status::Done]);
    assert_eq!(ids_of(&kafka.read(TOPIC).await), (0..10).collect::<Vec<i64>>());
    until_well(&server).await;
}
