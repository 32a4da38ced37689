//! USING MATERIALIZED STATE: waiting, skipping, defaults, in written order (companion section 2; rulings section 9, Order).

use std::time::Duration;

use nervix_emitter::{DrainError, EmitterState, READ_AHEAD_BYTES};
use nervix_sink::RevokeReason;
use nspl_model::{Literal, Resolution};

use crate::model::{
    adding_states, branch_def, dependency, dividing, failure_schema, positive, positive_thousand, relay_def,
    send_to, state_id,
};
use crate::stage::{Stage, ack, branched_stage, decode, delivery, ids, is_quiet, stage};

fn depending(resolution: Resolution) -> Stage {
    stage(|def| {
        def.dependencies = vec![dependency("latest", None, resolution)];
        def.construction = adding_states(&["latest"]);
    })
}

fn depending_by_branch(resolution: Resolution) -> Stage {
    branched_stage(|def| {
        def.dependencies = vec![dependency("latest", Some(branch_def()), resolution)];
        def.construction = adding_states(&["latest"]);
    })
}

/// What DESCRIBE says of what waits.
fn waiting(stage: &Stage) -> Option<String> {
    let lines = stage.handle.status().lines();
    let line = lines.into_iter().find(|(key, _)| *key == "waiting");
    line.map(|(_, text)| text)
}

fn default_of(id: i64) -> Resolution {
    Resolution::Default(vec![Literal::I64(id), Literal::String("none".to_owned())])
}

#[tokio::test]
async fn a_batch_waits_with_its_acknowledgement_open_until_the_state_comes() {
    let stage = depending(Resolution::Wait);
    let consumer = stage.consumer(8);
    let written = stage.write(&[1, 2]).await;
    stage.flow().await;
    assert!(is_quiet(&consumer).await && written.verdict().is_none());
    let status = stage.handle.status();
    assert_eq!(status.state_text(), "waiting for the state of latest");
    assert_eq!(
        waiting(&stage).as_deref(),
        Some("2 records of 1 branches wait for the state of latest")
    );
    stage.write_state(0, 100, "x").await;
    stage.flow().await;
    let next = delivery(&consumer).await;
    assert_eq!(ids(&next), [101, 102]);
    ack(&consumer, &next).await;
    stage.clock.settle().await;
    assert!(written.verdict().is_some_and(|verdict| verdict.done == 2));
    let status = stage.handle.status();
    assert!(status.waiting.is_empty() && status.state == EmitterState::Running);
}

#[tokio::test]
async fn a_branch_that_waits_stops_no_other_branch_and_keeps_its_order() {
    let stage = depending_by_branch(Resolution::Wait);
    let consumer = stage.consumer(100);
    stage.write_state(0, 1_000, "bob").await;
    for round in 0..3 {
        stage.write_to(0, &[round], "ann").await;
        stage.write_to(0, &[round], "bob").await;
        stage.flow().await;
        let next = delivery(&consumer).await;
        assert_eq!(ids(&next), [1_000 + round]);
        ack(&consumer, &next).await;
    }
    stage.settled_states().await;
    assert_eq!(stage.branches.idle(), 1, "the branch that waits is in use");
    stage.write_state(0, 100, "ann").await;
    stage.flow().await;
    let next = delivery(&consumer).await;
    assert_eq!(ids(&next), [100, 101, 102], "in order");
    assert!(stage.handle.status().waiting.is_empty());
}

#[tokio::test]
async fn what_waits_is_counted_as_long_as_it_waits() {
    let stage = depending_by_branch(Resolution::Wait);
    for (ids, name) in [(&[1, 2][..], "ann"), (&[3], "bob"), (&[4], "ann")] {
        stage.write_to(0, ids, name).await;
    }
    for (records, branches, comes) in [(4, 2, "bob"), (3, 1, "ann")] {
        let text = format!("{records} records of {branches} branches wait for the state of latest");
        assert_eq!(waiting(&stage), Some(text));
        stage.write_state(0, 100, comes).await;
    }
    assert!(stage.handle.status().waiting.is_empty());
}

#[tokio::test]
async fn what_a_batch_is_bound_to_stays_over_retries_and_later_states() {
    let stage = depending(Resolution::Wait);
    let consumer = stage.consumer(8);
    stage.write_state(0, 100, "x").await;
    stage.write(&[1]).await;
    stage.write_state(0, 200, "x").await;
    stage.flow().await;
    let first = delivery(&consumer).await;
    assert_eq!(ids(&first), [101], "bound when it was admitted");
    let reference = std::slice::from_ref(&first.reference);
    consumer.retry(reference).await.unwrap();
    stage.write_state(0, 300, "x").await;
    stage.clock.advance(crate::model::BACKOFF).await;
    let again = delivery(&consumer).await;
    assert_eq!(
        (again.payload.body.clone(), again.attempt),
        (first.payload.body.clone(), 2)
    );
}

#[tokio::test]
async fn skip_acknowledges_and_drops_while_there_is_no_state() {
    let stage = depending(Resolution::Skip);
    let consumer = stage.consumer(8);
    let dropped = stage.write(&[1, 2]).await;
    assert!(dropped.verdict().is_some_and(|verdict| verdict.done == 2));
    stage.write_state(0, 100, "x").await;
    stage.write(&[3]).await;
    stage.flow().await;
    assert_eq!(ids(&delivery(&consumer).await), [103]);
    let counters = stage.counters.snapshot();
    assert_eq!((counters.received.messages, counters.skipped), (3, 2));
}

#[tokio::test]
async fn default_binds_its_record_until_there_is_a_state() {
    let stage = depending(default_of(50));
    let consumer = stage.consumer(8);
    stage.write(&[1]).await;
    stage.flow().await;
    let next = delivery(&consumer).await;
    assert_eq!(ids(&next), [51]);
    ack(&consumer, &next).await;
    stage.write_state(0, 100, "x").await;
    stage.write(&[2]).await;
    stage.flow().await;
    assert_eq!(ids(&delivery(&consumer).await), [102]);
}

#[tokio::test]
async fn a_wait_that_wakes_resolves_from_the_first_dependency_again() {
    let stage = stage(|def| {
        def.dependencies = vec![
            dependency("first", None, default_of(1_000)),
            dependency("second", None, Resolution::Wait),
        ];
        def.construction = adding_states(&["first", "second"]);
    });
    let consumer = stage.consumer(8);
    stage.write(&[1]).await;
    stage.write_state(0, 10, "x").await;
    stage.write_state(1, 20, "x").await;
    stage.flow().await;
    assert_eq!(ids(&delivery(&consumer).await), [31], "no default any more");
}

#[tokio::test]
async fn a_wait_before_a_skip_waits_and_then_skips() {
    let stage = stage(|def| {
        def.dependencies = vec![
            dependency("first", None, Resolution::Wait),
            dependency("second", None, Resolution::Skip),
        ];
        def.construction = adding_states(&["first", "second"]);
    });
    let written = stage.write(&[1]).await;
    assert!(written.verdict().is_none());
    stage.write_state(0, 10, "x").await;
    assert!(written.is_done());
    assert_eq!(stage.counters.snapshot().skipped, 1);
}

#[tokio::test]
async fn a_batch_whose_every_row_where_drops_does_not_wait() {
    let stage = stage(|def| {
        def.dependencies = vec![dependency("latest", None, Resolution::Wait)];
        def.sources[0].filter = Some(positive());
    });
    let waits = stage.write(&[1, -1]).await;
    let dropped = stage.write(&[-1, -2]).await;
    assert!(waits.verdict().is_none());
    assert!(
        dropped.verdict().is_some_and(|verdict| verdict.done == 2),
        "not even behind one that waits"
    );
    assert_eq!(stage.counters.snapshot().filtered, 2);
}

#[tokio::test]
async fn a_row_in_which_where_fails_waits_with_its_batch_and_follows_its_policy() {
    let failures = relay_def("failures", failure_schema(), None, 64);
    let stage = stage(|def| {
        def.dependencies = vec![dependency("latest", None, Resolution::Wait)];
        def.sources[0].filter = Some(positive_thousand());
        def.on_message_error = send_to(failures, state_id("latest"));
    });
    let mut watch = stage.failures_consumer();
    let written = stage.write(&[0, -1]).await;
    assert!(written.verdict().is_none(), "one row fails, the other is dropped");
    stage.write_state(0, 77, "x").await;
    stage.flow().await;
    let failed = watch.try_recv().expect("an error record");
    assert_eq!(failed.records.num_rows(), 1);
    failed.share.settle(nervix_ack::Fate::Done);
    assert!(written.verdict().is_some_and(|verdict| verdict.done == 2));
    assert_eq!(stage.counters.snapshot().filtered, 1);
}

#[tokio::test]
async fn an_error_route_reads_the_state_that_its_row_was_bound_to() {
    let failures = relay_def("failures", failure_schema(), None, 64);
    let stage = stage(|def| {
        def.dependencies = vec![dependency("latest", None, Resolution::Wait)];
        def.construction = dividing();
        def.on_message_error = send_to(failures, state_id("latest"));
    });
    let mut watch = stage.failures_consumer();
    stage.write_state(0, 77, "x").await;
    stage.write(&[0]).await;
    stage.write_state(0, 78, "x").await;
    stage.flow().await;
    let failed = watch.recv().await.unwrap();
    let id =
        arrow::array::AsArray::as_primitive::<arrow::datatypes::Int64Type>(failed.records.column(4)).value(0);
    assert_eq!(id, 77);
}

#[tokio::test]
async fn a_rejected_delivery_reads_the_state_that_it_was_bound_to() {
    let failures = relay_def("failures", failure_schema(), None, 64);
    let stage = stage(|def| {
        def.dependencies = vec![dependency("latest", None, Resolution::Wait)];
        def.on_message_error = send_to(failures, state_id("latest"));
    });
    let (consumer, mut watch) = (stage.consumer(8), stage.failures_consumer());
    stage.write_state(0, 77, "x").await;
    stage.write(&[1]).await;
    stage.flow().await;
    let next = delivery(&consumer).await;
    assert_eq!(decode(&crate::model::order_schema(), &next).num_rows(), 1);
    stage.write_state(0, 78, "x").await;
    consumer
        .reject(std::slice::from_ref(&next.reference), "bad")
        .await
        .unwrap();
    stage.clock.settle().await;
    stage.flow().await;
    let failed = watch.recv().await.unwrap();
    let id =
        arrow::array::AsArray::as_primitive::<arrow::datatypes::Int64Type>(failed.records.column(4)).value(0);
    assert_eq!(id, 77);
}

#[tokio::test]
async fn a_drain_is_not_done_while_something_waits_and_stop_gives_it_back() {
    let stage = depending(Resolution::Wait);
    let consumer = stage.consumer(8);
    let first = stage.write(&[1]).await;
    let deadline = stage.clock.physical().now().after(Duration::from_secs(1));
    let handle = stage.handle.clone();
    let drain = tokio::spawn(async move { handle.drain(deadline).await });
    stage.clock.settle().await;
    stage.clock.advance(Duration::from_secs(1)).await;
    let timed_out = drain.await.unwrap();
    assert!(
        matches!(timed_out, Err(DrainError::TimedOut { messages: 1, .. })),
        "{timed_out:?}"
    );
    assert!(first.verdict().is_none(), "it goes on waiting");
    stage.write_state(0, 100, "x").await;
    stage.flow().await;
    let next = delivery(&consumer).await;
    assert_eq!(ids(&next), [101]);
    ack(&consumer, &next).await;
    let branched = depending_by_branch(Resolution::Wait);
    let waits = branched.write_to(0, &[1], "ann").await;
    branched.handle.stop(RevokeReason::Stopped).await;
    assert!(waits.verdict().is_some_and(|verdict| verdict.unresolved == 1));
    assert!(branched.handle.status().waiting.is_empty());
    assert_eq!(branched.counters.snapshot().unresolved, 1);
    assert_eq!(branched.branches.idle(), 1, "the branch is free again");
}

#[tokio::test]
async fn what_waits_is_bounded_and_then_the_relay_fills() {
    let stage = depending_by_branch(Resolution::Wait);
    let large = "x".repeat(1024 * 1024);
    let most = READ_AHEAD_BYTES / (1024 * 1024);
    for id in 0..most + 10 {
        let (mut batch, _) = stage.batch(0, &[id as i64], "ann").await;
        batch.records = crate::stage::orders(&[id as i64], &large);
        stage.sources[0].publish(batch).await.unwrap();
        stage.clock.settle().await;
    }
    assert!(stage.handle.status().pending.buffered_bytes <= READ_AHEAD_BYTES + 2 * 1024 * 1024);
    assert!(stage.sources[0].buffered() > 0, "it stops reading its relay");
}

#[tokio::test]
async fn a_run_that_ended_leaves_nothing_behind_and_the_next_one_waits_anew() {
    let mut stage = depending_by_branch(Resolution::Wait);
    for _ in 0..3 {
        let waits = stage.write_to(0, &[1], "ann").await;
        stage.handle.stop(RevokeReason::Changed).await;
        assert!(waits.verdict().is_some_and(|verdict| verdict.unresolved == 1));
        stage.restart();
    }
    let consumer = stage.consumer(8);
    stage.write_to(0, &[5], "ann").await;
    stage.write_state(0, 100, "ann").await;
    stage.flow().await;
    assert_eq!(ids(&delivery(&consumer).await), [105]);
}
