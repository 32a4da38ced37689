//! Kafka emitters against a cluster of three brokers that loses some of them.

use std::collections::BTreeSet;

use nervix_proto::client::v1::answer::Status;
use nervix_tests::kafka::Kafka;
use nervix_tests::wait::must;

use crate::kafka_graph::{KafkaGraph, TOPIC, ids_of, numbered, writer};
use crate::outside::{finish, trouble, write};

/// A leader that is lost in the middle of the work loses nothing; too few replicas for `acks=all` are the cluster's trouble
/// and no record's.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cluster_that_loses_brokers_is_waited_for() {
    let mut kafka = Kafka::start_three().await;
    kafka.create_topic(TOPIC, 1, &[]).await;
    let graph = KafkaGraph::to(&kafka).with(", 'retries' = 0, 'topic.metadata.refresh.interval.ms' = 500");
    let server = graph.serve().await;
    assert_eq!(write(&server, numbered(0..10)).await, [Status::Done]);

    let put = writer(&server).await;
    for first in (10..1_010).step_by(10) {
        must("write", put.write(numbered(first..first + 10)).await);
        if first == 500 {
            // It leads.
            kafka.kill(2);
        }
    }
    let statuses = finish(put).await;
    assert_eq!(statuses.len(), 100);
    assert!(
        statuses.iter().all(|status| *status == Status::Done),
        "{statuses:?}"
    );

    kafka.kill(3);
    let put = writer(&server).await;
    must("write", put.write(numbered(1_010..1_020)).await);
    trouble(&server, "NotEnoughReplicas").await;
    assert!(
        server.metric("nervix_emitter_rejected_total").await < 1.0,
        "nothing is rejected"
    );
    for node in [2, 3] {
        kafka.start_again(node).await;
    }
    assert_eq!(finish(put).await, [Status::Done]);
    let read: BTreeSet<i64> = ids_of(&kafka.read(TOPIC).await).into_iter().collect();
    assert_eq!(read, (0..1_020).collect());
}
