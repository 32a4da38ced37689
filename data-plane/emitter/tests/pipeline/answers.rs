//! What an application's answers do: ack, retry, reject, timeout, loss (`emitters.txt`, Client emitters).

use std::time::Duration;

use nervix_emitter::EmitterState;
use nervix_sink::FailureKind;
use nervix_sink_client::{AnswerResult, RevokedReason, SessionEvent};
use nspl_model::Window;

use crate::model::{ACK_TIMEOUT, BACKOFF, mode};
use crate::stage::{Written, ack, delivery, event, ids, is_quiet, revoked, stage};

async fn outcome(session: &nervix_sink_client::ConsumerSession) -> AnswerResult {
    loop {
        if let SessionEvent::Outcome { result, .. } = event(session).await {
            return result;
        }
    }
}

#[tokio::test]
async fn a_writer_hears_done_only_when_the_application_has_acked() {
    let stage = stage(|_| {});
    let consumer = stage.consumer(8);
    let written = stage.write(&[1, 2, 3]).await;
    stage.flow().await;
    let first = delivery(&consumer).await;
    assert_eq!(ids(&first), [1, 2, 3]);
    assert_eq!(
        (first.attempt, first.rows, &*first.source, &*first.branch),
        (1, 3, "orders", "")
    );
    assert_eq!(first.ack_timeout, ACK_TIMEOUT);
    assert!(written.verdict().is_none(), "no positive answer is early");
    ack(&consumer, &first).await;
    stage.clock.settle().await;
    let verdict = written.verdict().expect("resolved");
    assert_eq!((verdict.rows, verdict.done), (3, 3));
    assert_eq!(outcome(&consumer).await, AnswerResult::Confirmed);
}

#[tokio::test]
async fn a_retry_waits_out_its_backoff_and_brings_the_same_bytes() {
    let stage = stage(|_| {});
    let consumer = stage.consumer(8);
    let written = stage.write(&[1, 2]).await;
    stage.flow().await;
    let first = delivery(&consumer).await;
    consumer
        .retry(std::slice::from_ref(&first.reference))
        .await
        .unwrap();
    let later = stage.write(&[3]).await;
    stage.clock.advance(BACKOFF - Duration::from_millis(1)).await;
    assert_eq!(outcome(&consumer).await, AnswerResult::Retrying);
    assert!(
        is_quiet(&consumer).await,
        "not before its backoff, and nothing newer of its lane"
    );
    let status = stage.handle.status();
    assert_eq!(
        status.transient_error.as_ref().map(|error| error.kind),
        Some(FailureKind::PeerAsked)
    );
    assert_eq!(
        status.transient_error.map(|error| error.wait),
        Some(Duration::from_millis(1))
    );
    stage.clock.advance(Duration::from_millis(1)).await;
    let second = delivery(&consumer).await;
    assert_eq!((second.attempt, &second.batch), (2, &first.batch));
    assert_ne!(second.reference, first.reference);
    assert_eq!(
        (&second.payload.head, &second.payload.body),
        (&first.payload.head, &first.payload.body)
    );
    ack(&consumer, &second).await;
    let third = delivery(&consumer).await;
    assert_eq!((ids(&third), third.attempt), (vec![3], 1));
    ack(&consumer, &third).await;
    stage.clock.settle().await;
    assert!(written.verdict().is_some() && later.verdict().is_some());
    assert_eq!(stage.counters.snapshot().retries, 1);
    assert!(stage.handle.status().transient_error.is_none());
}

#[tokio::test]
async fn a_consumer_that_leaves_in_order_is_no_trouble_and_records_are_said_to_wait() {
    let stage = stage(|_| {});
    let consumer = stage.consumer(8);
    let written = stage.write(&[1, 2]).await;
    stage.flow().await;
    delivery(&consumer).await;
    consumer.half_close();
    stage.clock.settle().await;
    drop(consumer);
    let waiting = || {
        let lines = stage.handle.status().lines();
        let mut waiting = lines.into_iter().filter(|(key, _)| *key == "waiting");
        waiting.next().map(|(_, text)| text)
    };
    assert_eq!(waiting().as_deref(), Some("2 records wait for a consumer"));
    let status = stage.handle.status();
    assert!(status.transient_error.is_none(), "{status:?}");
    let consumer = stage.consumer(0);
    assert_eq!(
        waiting().as_deref(),
        Some("2 records wait for credit of a consumer")
    );
    consumer.grant(1);
    stage.clock.advance(BACKOFF).await;
    let again = delivery(&consumer).await;
    assert_eq!(waiting(), None);
    ack(&consumer, &again).await;
    stage.clock.settle().await;
    assert!(written.verdict().is_some_and(|verdict| verdict.done == 2));
}

#[tokio::test]
async fn backoff_doubles_up_to_max_for_one_payload_and_starts_over_for_the_next() {
    let stage = stage(|_| {});
    let consumer = stage.consumer(100);
    let written = stage.write(&[1]).await;
    stage.flow().await;
    let mut current = delivery(&consumer).await;
    for wait_ms in [250, 500, 1_000, 1_000] {
        consumer
            .retry(std::slice::from_ref(&current.reference))
            .await
            .unwrap();
        assert_eq!(outcome(&consumer).await, AnswerResult::Retrying);
        stage.clock.settle().await;
        stage.clock.advance(Duration::from_millis(wait_ms - 1)).await;
        assert!(is_quiet(&consumer).await, "before {wait_ms} ms");
        stage.clock.advance(Duration::from_millis(1)).await;
        current = delivery(&consumer).await;
    }
    ack(&consumer, &current).await;
    stage.clock.settle().await;
    assert!(written.verdict().is_some());
    stage.write(&[2]).await;
    stage.flow().await;
    let next = delivery(&consumer).await;
    consumer
        .retry(std::slice::from_ref(&next.reference))
        .await
        .unwrap();
    stage.clock.settle().await;
    stage.clock.advance(BACKOFF).await;
    assert_eq!(delivery(&consumer).await.attempt, 2);
}

#[tokio::test]
async fn racing_answers_to_one_delivery_have_one_effect() {
    let stage = stage(|_| {});
    let consumer = stage.consumer(8);
    let other = stage.consumer(0);
    let written = stage.write(&[1]).await;
    stage.flow().await;
    let first = delivery(&consumer).await;
    let refs = std::slice::from_ref(&first.reference);
    let (acked, retried, rejected) = tokio::join!(
        consumer.ack(refs),
        other.retry(refs),
        consumer.reject(refs, "bad")
    );
    assert!(acked.is_ok() && retried.is_ok() && rejected.is_ok());
    assert_eq!(outcome(&consumer).await, AnswerResult::Confirmed);
    assert_eq!(
        outcome(&consumer).await,
        AnswerResult::Stale,
        "the reject came second"
    );
    assert_eq!(outcome(&other).await, AnswerResult::Stale);
    stage.clock.settle().await;
    assert_eq!(written.verdict().map(|verdict| verdict.done), Some(1));
    let counters = stage.counters.snapshot();
    assert_eq!(
        (
            counters.sent.messages,
            counters.rejected_messages(),
            counters.retries
        ),
        (1, 0, 0)
    );
}

#[tokio::test]
async fn an_ack_after_the_timeout_is_stale_and_the_batch_goes_to_another_consumer() {
    let stage = stage(|_| {});
    let slow = stage.consumer(1);
    let written = stage.write(&[1]).await;
    stage.flow().await;
    let first = delivery(&slow).await;
    stage.clock.advance(ACK_TIMEOUT).await;
    assert_eq!(revoked(&slow).await, RevokedReason::Timeout);
    let quick = stage.consumer(1);
    stage.clock.advance(BACKOFF).await;
    let second = delivery(&quick).await;
    assert_eq!((second.attempt, &second.batch), (2, &first.batch));
    ack(&slow, &first).await;
    assert_eq!(outcome(&slow).await, AnswerResult::Stale);
    assert!(written.verdict().is_none());
    ack(&quick, &second).await;
    stage.clock.settle().await;
    assert_eq!(written.verdict().map(|verdict| verdict.done), Some(1));
    let session = stage.handle.status().session.expect("a session sink");
    assert_eq!((session.timeouts, session.acks, session.stale), (1, 1, 1));
}

#[tokio::test]
async fn a_consumer_killed_with_unanswered_batches_loses_nothing() {
    let stage = stage(|def| def.mode = mode(Window::Parallel(4)));
    let killed = stage.consumer(4);
    let mut written = Vec::new();
    for id in 0..4 {
        written.push(stage.write(&[id]).await);
        stage.flow().await;
        assert_eq!(ids(&delivery(&killed).await), [id]);
    }
    drop(killed);
    stage.clock.settle().await;
    let heir = stage.consumer(4);
    stage.clock.advance(BACKOFF).await;
    for id in 0..4 {
        let again = delivery(&heir).await;
        assert_eq!((ids(&again), again.attempt), (vec![id], 2), "in order");
        ack(&heir, &again).await;
    }
    stage.clock.settle().await;
    assert!(written.iter().all(Written::is_done));
}

#[tokio::test]
async fn credit_without_reading_is_bounded_and_no_consumer_means_waiting() {
    let stage = stage(|def| def.mode = mode(Window::Parallel(100)));
    let mut written = Vec::new();
    for id in 0..10 {
        written.push(stage.write(&[id]).await);
        stage.flow().await;
    }
    assert_eq!(stage.handle.status().pending.retained_batches, 10);
    assert_eq!(stage.handle.status().state, EmitterState::Running);
    let consumer = stage.consumer(3);
    stage.clock.settle().await;
    let session = stage.exchange.status();
    assert_eq!(
        (
            session.assigned_batches,
            session.unassigned_batches,
            session.granted_credit
        ),
        (3, 7, 0)
    );
    consumer.grant(7);
    for id in 0..10 {
        let next = delivery(&consumer).await;
        assert_eq!(ids(&next), [id]);
        ack(&consumer, &next).await;
    }
    stage.clock.settle().await;
    assert!(written.iter().all(Written::is_done));
}

#[tokio::test]
async fn a_rejected_batch_is_done_when_the_policy_ignores_or_logs() {
    let stage = stage(|def| def.on_message_error = nspl_model::MessagePolicy::Log);
    let consumer = stage.consumer(8);
    let written = stage.write(&[1, 2]).await;
    stage.flow().await;
    let first = delivery(&consumer).await;
    consumer
        .reject(std::slice::from_ref(&first.reference), "bad-customer")
        .await
        .unwrap();
    assert_eq!(outcome(&consumer).await, AnswerResult::Rejected);
    stage.clock.settle().await;
    assert_eq!(written.verdict().map(|verdict| verdict.done), Some(2));
    let counters = stage.counters.snapshot();
    assert_eq!((counters.rejected_messages(), counters.sent.messages), (2, 0));
    assert!(consumer.reject(&["r1".to_owned()], "not allowed").await.is_err());
}
