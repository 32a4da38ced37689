//! Concrete branches: one batch is of one branch, fingerprints are opaque and stable, busy branches hold nobody up.

use std::collections::{BTreeMap, BTreeSet};

use nervix_proto::client::v1::answer::Status;
use nervix_tests::rows::{ids, read_ids};
use nervix_tests::wait::must;

use crate::graph::{Graph, consumer, expand, writer};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_delivery_is_of_one_branch_with_an_opaque_stable_fingerprint() {
    let server = Graph {
        branched: true,
        ..Graph::default()
    }
    .serve()
    .await;
    let put = writer(&server).await;
    for round in 0..3 {
        for (n, origin) in ["ATL", "DTW", "LAS"].into_iter().enumerate() {
            let first = round * 100 + i64::try_from(n).expect("small") * 10;
            must("write", put.write(ids(first..first + 10, origin)).await);
        }
    }
    let mut consumer = consumer(&server).await;
    consumer.credit(1000).await;
    let mut by_branch: BTreeMap<String, BTreeSet<i64>> = BTreeMap::new();
    while by_branch.values().map(BTreeSet::len).sum::<usize>() < 90 {
        let (delivery, rows) = consumer.delivery().await;
        assert!(delivery.branch.len() <= 64 && !delivery.branch.is_empty());
        by_branch
            .entry(delivery.branch.clone())
            .or_default()
            .extend(read_ids(&rows));
        consumer.ack(&delivery.r#ref).await;
    }
    assert_eq!(by_branch.len(), 3);
    for (branch, seen) in &by_branch {
        assert!(!branch.contains("ATL") && !branch.contains("DTW") && !branch.contains("LAS"));
        assert_eq!(seen.len(), 30);
        let tens: BTreeSet<i64> = seen.iter().map(|id| id % 100 / 10).collect();
        assert_eq!(tens.len(), 1, "rows of two origins share the branch {branch}");
    }
    assert!(
        must("finish", put.finish().await)
            .iter()
            .all(|answer| answer.status() == Status::Done)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_consumer_sitting_on_one_branch_does_not_hold_up_the_others() {
    let mode = "ACK SEQUENTIAL ACK TIMEOUT 1m RETRY POLICY BACKOFF 10ms MAX 100ms";
    let graph = Graph {
        branched: true,
        mode,
        relay_options: "CAPACITY 4",
        ..Graph::default()
    };
    let server = graph.serve().await;
    let put = writer(&server).await;
    must("write", put.write(ids(0..1, "ATL")).await);
    let mut sitting = consumer(&server).await;
    sitting.credit(1).await;
    let (held, _) = sitting.delivery().await;
    let mut flowing = consumer(&server).await;
    flowing.credit(1000).await;
    let writing = async {
        for n in 1..=200_i64 {
            must(
                "write",
                put.write(ids(n..n + 1, if n % 10 == 0 { "ATL" } else { "DTW" }))
                    .await,
            );
        }
    };
    let reading = async {
        let mut seen = 0;
        while seen < 180 {
            let (delivery, rows) = flowing.delivery().await;
            assert_ne!(
                delivery.branch, held.branch,
                "SEQUENTIAL allows one outstanding batch of a branch"
            );
            seen += rows.num_rows();
            flowing.ack(&delivery.r#ref).await;
        }
    };
    tokio::join!(writing, reading);
    sitting.ack(&held.r#ref).await;
    let mut rest = Vec::new();
    while rest.len() < 20 {
        let (delivery, rows) = flowing.delivery().await;
        rest.extend(read_ids(&rows));
        flowing.ack(&delivery.r#ref).await;
    }
    assert_eq!(rest, (1..=20).map(|n| n * 10).collect::<Vec<i64>>());
    assert!(
        must("finish", put.finish().await)
            .iter()
            .all(|answer| answer.status() == Status::Done)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_branch_with_open_work_is_never_evicted_and_a_full_table_makes_the_writer_wait() {
    let graph = Graph {
        branched: true,
        branch: "TTL 100ms MAX INSTANCES 2 EVICT LRU",
        ..Graph::default()
    };
    let server = graph.serve().await;
    let put = writer(&server).await;
    for (n, origin) in ["ATL", "DTW", "LAS"].into_iter().enumerate() {
        let first = i64::try_from(n).expect("small");
        must("write", put.write(ids(first..first + 1, origin)).await);
    }
    let mut consumer = consumer(&server).await;
    consumer.credit(10).await;
    let (one, _) = consumer.delivery().await;
    let (two, _) = consumer.delivery().await;
    assert_ne!(one.branch, two.branch);
    consumer.ack(&one.r#ref).await;
    let (three, rows) = consumer.delivery().await;
    assert_eq!(read_ids(&rows), [2]);
    consumer.ack(&two.r#ref).await;
    consumer.ack(&three.r#ref).await;
    let answers = expand(must("finish", put.finish().await));
    assert_eq!(answers, [(0, Status::Done), (1, Status::Done), (2, Status::Done)]);
}
