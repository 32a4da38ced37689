//! Payloads that the client leaves for later, and those that the destination refused only together: in order, unhurried by ACK
//! TIMEOUT, and no failure.

use nervix_emitter::EmitterState;
use nervix_sink::{Failure, FailureKind, Outcome, PayloadId};
use nervix_sink_testkit::Deed;

use crate::model::{ACK_TIMEOUT, BACKOFF};
use crate::payloads::{accepted, hold, parallel, sent, unavailable};
use crate::stage::{Stage, stage};

/// The one payload that the broker holds.
fn held(stage: &Stage) -> PayloadId {
    let held = stage.broker.held();
    assert_eq!(held.len(), 1, "{held:?}");
    held[0]
}

#[tokio::test]
async fn what_the_client_leaves_comes_again_when_everything_before_it_is_answered() {
    let stage = stage(parallel(10));
    hold(&stage);
    stage.broker.take_at_most(Some(1));
    let written = stage.write(&[1, 2, 3]).await;
    stage.flow().await;
    for rounds in 1..=3 {
        assert_eq!(sent(&stage).len(), rounds, "one after the other");
        // Together they take longer than ACK TIMEOUT, which none of them does.
        stage.clock.advance(ACK_TIMEOUT / 2).await;
        assert!(stage.broker.answer(held(&stage), Outcome::DELIVERED));
        stage.clock.settle().await;
    }
    assert_eq!(sent(&stage), [[1], [2], [3]]);
    assert_eq!(written.verdict().expect("a verdict").done, 3);
    assert_eq!(stage.counters.snapshot().retries, 0);
    assert_eq!(stage.told(), []);
}

#[tokio::test]
async fn more_than_a_write_of_failed_payloads_is_sent_again_in_order() {
    let stage = stage(parallel(2_000));
    stage.broker.on_receipt(|received| match received.attempt {
        1 => Deed::Fail(unavailable()),
        _ => Deed::Take,
    });
    let ids: Vec<i64> = (0..1_500).collect();
    let written = stage.write(&ids).await;
    stage.flow().await;
    assert_eq!(sent(&stage).concat(), ids);
    stage.broker.take_at_most(Some(100));
    stage.clock.advance(BACKOFF).await;
    assert_eq!(sent(&stage).concat(), [&ids[..], &ids].concat());
    assert_eq!(written.verdict().expect("a verdict").done, 1_500);
    assert_eq!(stage.counters.snapshot().retries, 1_500);
}

#[tokio::test]
async fn what_was_refused_only_together_is_sent_again_at_once_and_is_no_trouble() {
    let stage = stage(parallel(10));
    stage.broker.on_receipt(|received| match received.attempt {
        1 => Deed::Fail(unavailable()),
        2 | 3 => Deed::Fail(Failure::new(FailureKind::RefusedTogether, "too much")),
        _ => Deed::Take,
    });
    let written = stage.write(&[1, 2, 3]).await;
    stage.flow().await;
    assert_eq!(sent(&stage), [[1], [2], [3]]);
    assert_eq!(stage.handle.status().state, EmitterState::Unavailable);
    stage.clock.advance(BACKOFF).await;
    assert_eq!(sent(&stage).concat(), [1, 2, 3].repeat(4));
    assert_eq!(stage.handle.status().transient_error, None);
    assert_eq!(written.verdict().expect("a verdict").done, 3);
    assert_eq!(stage.counters.snapshot().retries, 9);
}

#[tokio::test]
async fn what_was_refused_only_together_waits_for_the_backoff_of_what_failed_beside_it() {
    let stage = stage(parallel(10));
    stage
        .broker
        .on_receipt(|received| match (received.attempt, received.sequence % 2) {
            (1, 0) => Deed::Fail(Failure::new(FailureKind::RefusedTogether, "too much")),
            (1, _) => Deed::Fail(unavailable()),
            _ => Deed::Take,
        });
    let written = stage.write(&[1, 2]).await;
    stage.flow().await;
    assert_eq!(sent(&stage), [[1], [2]]);
    stage.clock.advance(BACKOFF).await;
    assert_eq!(sent(&stage), [[1], [2], [1], [2]]);
    assert_eq!(written.verdict().expect("a verdict").done, 2);
}

#[tokio::test]
async fn what_is_accepted_is_flushed_before_what_the_client_left() {
    let stage = stage(accepted);
    stage.broker.take_at_most(Some(2));
    let written = stage.write(&[1, 2, 3]).await;
    stage.flow().await;
    assert_eq!(sent(&stage), [[1], [2], [3]]);
    assert_eq!(stage.broker.flushes(), 2);
    assert_eq!(written.verdict().expect("a verdict").done, 3);
}

#[tokio::test]
async fn a_client_that_takes_nothing_is_trouble_and_asked_again_after_the_backoff() {
    let stage = stage(parallel(10));
    stage.broker.take_at_most(Some(0));
    let written = stage.write(&[1, 2]).await;
    stage.flow().await;
    assert_eq!(stage.handle.status().state, EmitterState::Unavailable);
    assert_eq!(stage.broker.writes(), [0]);
    stage.broker.take_at_most(None);
    stage.clock.advance(BACKOFF).await;
    assert_eq!(sent(&stage), [[1], [2]]);
    assert_eq!(written.verdict().expect("a verdict").done, 2);
}
