//! Brokers that do what no record is at fault for and no retry heals alone: a log of before, a topic that is deleted.

use nervix_proto::client::v1::answer::Status;
use nervix_tests::kafka::Kafka;
use nervix_tests::wait::must;

use crate::kafka_graph::{KafkaGraph, TOPIC, ids_of, numbered, writer};
use crate::outside::{finish, trouble, until_well, write};

/// A broker whose disk is a copy of before knows an older number of the producer than the producer goes on with, and refuses
/// what follows for good (OUT_OF_ORDER_SEQUENCE_NUMBER).
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broker_with_a_log_of_before_ends_its_producer_and_another_takes_its_place() {
    let mut kafka = Kafka::start().await;
    kafka.create_topic(TOPIC, 1, &[]).await;
    let graph = KafkaGraph::to(&kafka).with(", 'enable.idempotence' = TRUE");
    let mut server = graph.serve().await;
    assert_eq!(write(&server, numbered(0..10)).await, [Status::Done]);
    kafka.back_up(1).await;
    assert_eq!(write(&server, numbered(10..20)).await, [Status::Done]);
    kafka.restore(1).await;
    assert_eq!(ids_of(&kafka.read(TOPIC).await), (0..10).collect::<Vec<i64>>());

    assert_eq!(write(&server, numbered(20..30)).await, [Status::Done]);
    let expected: Vec<i64> = (0..10).chain(20..30).collect();
    assert_eq!(ids_of(&kafka.read(TOPIC).await), expected, "each once, in order");
    let printed = server.process().printed();
    assert!(printed.contains("sequence desynchronization"), "{printed}");
    assert!(server.metric("nervix_emitter_rejected_total").await < 1.0);
    until_well(&server).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_topic_that_is_deleted_is_waited_for_and_not_made() {
    let kafka = Kafka::start().await;
    kafka.create_topic(TOPIC, 1, &[]).await;
    let refreshed = ", 'topic.metadata.refresh.interval.ms' = 200, 'topic.metadata.propagation.max.ms' = 500";
    let server = KafkaGraph::to(&kafka).with(refreshed).serve().await;
    assert_eq!(write(&server, numbered(0..10)).await, [Status::Done]);
    kafka.delete_topic(TOPIC).await;
    let put = writer(&server).await;
    must("write", put.write(numbered(10..20)).await);
    trouble(&server, "UnknownTopic").await;
    assert!(!kafka.topics().await.contains(TOPIC), "it is not made");
    assert!(server.metric("nervix_emitter_rejected_total").await < 1.0);
    kafka.create_topic(TOPIC, 1, &[]).await;
    assert_eq!(finish(put).await, [Status::Done]);
    assert_eq!(ids_of(&kafka.read(TOPIC).await), (10..20).collect::<Vec<i64>>());
    until_well(&server).await;
}
