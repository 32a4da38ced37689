//! Concrete branches: one batch is of one branch, fingerprints are opaque and stable, busy branches hold nobody up.

use std::collections::{BTreeMap, BTreeSet};

use nervix_proto::client::v1::answer::Status;
use nervix_proto::client::v1::outcome::Result as Outcome;
use nervix_tests::flight::Event;
use nervix_tests::rows::{ids, read_ids};
use nervix_tests::wait::{must, until};

use crate::graph::{Graph, STILL_LOOKS, consumer, expand, writer};

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
        relay_options: "WITH MATERIALIZED STATE LAST BY TIMESTAMP",
        ..Graph::default()
    };
    let server = graph.serve().await;
    let put = writer(&server).await;
    let mut consumer = consumer(&server).await;
    consumer.credit(10).await;
    must("write", put.write(ids(0..1, "ATL")).await);
    let (held, _) = consumer.delivery().await;
    must("write", put.write(ids(1..2, "DTW")).await);
    let (idle, _) = consumer.delivery().await;
    consumer.ack(&idle.r#ref).await;
    consumer.outcome(&idle.r#ref).await;
    until("TTL has passed for the branch that is idle", || {
        let instances = server.metric("nervix_relay_state_rows");
        async move { (instances.await == 1.0).then_some(()) }
    })
    .await;
    must("write", put.write(ids(2..3, "LAS")).await);
    let (second, _) = consumer.delivery().await;
    must("write", put.write(ids(3..4, "DFW")).await);
    // Two branches have work, which neither TTL nor a new key takes from them: the fourth row stays outside.
    for _ in 0..STILL_LOOKS {
        consumer.ack("never-was").await;
        match must("an event", consumer.next().await) {
            Some(Event::Outcome(stale)) => assert_eq!(stale.r#ref, "never-was"),
            other => panic!("a third branch came in beside two that have work: {other:?}"),
        }
    }
    assert_eq!(server.metric("nervix_relay_state_rows").await, 2.0);
    consumer.ack(&held.r#ref).await;
    assert_eq!(consumer.outcome(&held.r#ref).await.result(), Outcome::Confirmed);
    let (third, rows) = consumer.delivery().await;
    assert_eq!(read_ids(&rows), [3]);
    let branches = BTreeSet::from([&held.branch, &idle.branch, &second.branch, &third.branch]);
    assert_eq!(branches.len(), 4);
    consumer.ack(&second.r#ref).await;
    consumer.ack(&third.r#ref).await;
    let answers = expand(must("finish", put.finish().await));
    assert_eq!(answers, [0, 1, 2, 3].map(|position| (position, Status::Done)));
}
