//! Windows per lane: a slow branch beside flowing ones (`emitters.txt`, Client emitters; rulings section 9, Head of line).

use std::collections::{BTreeMap, BTreeSet};

use nspl_model::Window;

use crate::model::{BACKOFF, mode, order_schema, relay_def};
use crate::stage::{ack, branched_stage, delivery, ids, is_quiet, stage, stage_of};

#[tokio::test]
async fn sequential_lets_one_batch_of_a_lane_out_and_parallel_as_many_as_it_says() {
    for (window, out) in [(Window::Sequential, 1), (Window::Parallel(3), 3)] {
        let stage = stage(|def| {
            def.mode = mode(window);
            def.batch = Some(nspl_model::BatchLimits {
                max_messages: 1,
                max_bytes: 4_096,
            });
        });
        let consumer = stage.consumer(100);
        stage.write(&[0, 1, 2, 3, 4]).await;
        stage.flow().await;
        let mut held = Vec::new();
        for id in 0..out {
            let next = delivery(&consumer).await;
            assert_eq!(ids(&next), [id]);
            held.push(next);
        }
        assert!(is_quiet(&consumer).await, "the window is full");
        ack(&consumer, &held[0]).await;
        assert_eq!(ids(&delivery(&consumer).await), [out]);
    }
}

#[tokio::test]
async fn a_consumer_sitting_on_one_branch_stops_no_other_branch() {
    let stage = branched_stage(|_| {});
    let sitting = stage.consumer(1);
    stage.write_to(0, &[0], "stuck").await;
    stage.flow().await;
    let stuck = delivery(&sitting).await;
    let flowing = stage.consumer(1_000);
    for round in 1..200_i64 {
        stage.write_to(0, &[-round], "stuck").await;
        let written = stage.write_to(0, &[round], "flowing").await;
        stage.flow().await;
        let next = delivery(&flowing).await;
        assert_eq!(ids(&next), [round]);
        assert_ne!(next.branch, stuck.branch);
        ack(&flowing, &next).await;
        stage.clock.settle().await;
        assert!(written.verdict().is_some());
    }
    ack(&sitting, &stuck).await;
    let rest = delivery(&flowing).await;
    assert_eq!(rest.branch, stuck.branch);
    assert_eq!(
        ids(&rest),
        (1..200).map(|round| -round).collect::<Vec<i64>>(),
        "in order, joined"
    );
}

#[tokio::test]
async fn a_large_payload_that_waits_for_a_consumer_delays_no_other_lane() {
    const MIB: usize = 1024 * 1024;
    let sources = ["orders", "replays", "returns"].map(|name| relay_def(name, order_schema(), None, 64));
    let stage = stage_of(&sources, 31 * MIB as u64, |def| {
        def.batch = Some(nspl_model::BatchLimits {
            max_messages: 1_000,
            max_bytes: 31 * MIB as u64,
        });
    });
    let consumer = stage.consumer(100);
    stage.write_to(1, &[1], &"x".repeat(MIB + MIB / 4)).await;
    stage.flow().await;
    let held = delivery(&consumer).await;
    let large = stage.write_to(0, &[2], &"x".repeat(30 * MIB)).await;
    stage.flow().await;
    assert!(is_quiet(&consumer).await, "no room for it");
    for round in 3..50 {
        let written = stage.write_to(2, &[round], "x").await;
        stage.flow().await;
        let next = delivery(&consumer).await;
        assert_eq!(ids(&next), [round]);
        ack(&consumer, &next).await;
        stage.clock.settle().await;
        assert!(written.is_done());
    }
    assert!(large.verdict().is_none());
    ack(&consumer, &held).await;
    let next = delivery(&consumer).await;
    assert_eq!((ids(&next), next.attempt), (vec![2], 1));
    ack(&consumer, &next).await;
    stage.clock.settle().await;
    assert!(large.is_done());
}

#[tokio::test]
async fn one_key_in_two_relays_has_one_fingerprint_but_two_windows() {
    let branch = Some(crate::model::branch_def());
    let sources = [
        relay_def("orders", order_schema(), branch.clone(), 64),
        relay_def("replays", order_schema(), branch, 64),
    ];
    let stage = stage_of(&sources, 1 << 26, |_| {});
    let consumer = stage.consumer(8);
    stage.write_to(0, &[1], "ann").await;
    stage.write_to(1, &[2], "ann").await;
    stage.flow().await;
    let (first, second) = (delivery(&consumer).await, delivery(&consumer).await);
    assert_eq!(first.branch, second.branch);
    assert_eq!((&*first.source, &*second.source), ("orders", "replays"));
    assert!(!first.branch.contains("ann") && first.branch.len() <= 64);
}

#[tokio::test]
async fn a_branch_that_waits_out_its_backoff_stops_no_other_branch() {
    let stage = branched_stage(|_| {});
    let consumer = stage.consumer(100);
    stage.write_to(0, &[1], "ann").await;
    stage.flow().await;
    let first = delivery(&consumer).await;
    consumer
        .retry(std::slice::from_ref(&first.reference))
        .await
        .unwrap();
    stage.write_to(0, &[2], "ann").await;
    stage.write_to(0, &[3], "bob").await;
    stage.flow().await;
    assert_eq!(ids(&delivery(&consumer).await), [3]);
    stage.clock.advance(BACKOFF).await;
    let again = delivery(&consumer).await;
    assert_eq!(ids(&again), [1]);
    ack(&consumer, &again).await;
    assert_eq!(ids(&delivery(&consumer).await), [2]);
}

#[tokio::test]
async fn competing_consumers_share_many_branches_and_order_within_a_branch_is_kept() {
    let stage = branched_stage(|_| {});
    let consumers = [stage.consumer(1_000), stage.consumer(1_000)];
    for round in 0..10 {
        for branch in 0..6 {
            stage.write_to(0, &[round], &format!("branch-{branch}")).await;
        }
    }
    stage.flow().await;
    let mut seen: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    let mut served = BTreeSet::new();
    while seen.values().map(Vec::len).sum::<usize>() < 60 {
        let mut any = false;
        for (who, consumer) in consumers.iter().enumerate() {
            while stage.exchange.status().assigned_batches > 0 && !is_next_quiet(consumer, &mut seen).await {
                served.insert(who);
                any = true;
            }
        }
        assert!(any, "somebody has a delivery");
        stage.clock.settle().await;
    }
    assert_eq!(served.len(), 2, "both had turns");
    assert!(
        seen.values().all(|ids| *ids == (0..10).collect::<Vec<i64>>()),
        "{seen:?}"
    );
}

/// Takes and acks one delivery if there is one.
async fn is_next_quiet(
    consumer: &nervix_sink_client::ConsumerSession,
    seen: &mut BTreeMap<String, Vec<i64>>,
) -> bool {
    use futures::FutureExt;
    use nervix_sink_client::SessionEvent;
    match consumer.recv().now_or_never() {
        Some(Some(SessionEvent::Deliver(next))) => {
            seen.entry(next.branch.to_string())
                .or_default()
                .extend(ids(&next));
            ack(consumer, &next).await;
            false
        }
        Some(Some(_)) => false,
        _ => true,
    }
}

#[tokio::test]
async fn lanes_and_what_they_hold_are_gone_when_their_work_is() {
    let stage = branched_stage(|_| {});
    let consumer = stage.consumer(1_000);
    for branch in 0..50 {
        stage.write_to(0, &[branch], &format!("branch-{branch}")).await;
    }
    stage.flow().await;
    assert_eq!(stage.handle.status().pending.lanes, 50);
    assert_eq!(stage.branches.idle(), 0, "a branch with work is not idle");
    for _ in 0..50 {
        let next = delivery(&consumer).await;
        ack(&consumer, &next).await;
    }
    stage.clock.settle().await;
    let pending = stage.handle.status().pending;
    assert_eq!(
        (pending.lanes, pending.buffered_bytes, pending.messages),
        (0, 0, 0)
    );
    assert_eq!(stage.budget.used(), 0, "nothing of the node's budget is held");
    assert_eq!(stage.branches.idle(), 50);
}
