use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use nervix_clock::ManualClock;
use nervix_sink::{FailureKind, OpenSink, Outcome, RevokeReason, SessionSink};

use super::{ConnectOptions, ConsumerSession};
use crate::event::{AnswerResult, EndReason, RevokedReason, SessionEvent};
use crate::exchange::{Exchange, ExchangeOptions, SessionOptions};
use crate::machine::UNREAD_OUTCOMES_MAX;
use crate::machine::testing::offer;
use crate::reference::MalformedAnswer;

const ACK_TIMEOUT: Duration = Duration::from_secs(5);

fn exchange(clock: &ManualClock) -> Exchange {
    Exchange::new(ExchangeOptions {
        clock: clock.physical(),
        consumer_bytes: 1_000,
    })
}

fn open(exchange: &Exchange) -> Box<dyn SessionSink> {
    match exchange.open(SessionOptions {
        ack_timeout: ACK_TIMEOUT,
    }) {
        OpenSink::Session(sink) => sink,
        other => panic!("a sink of the shape {}", other.shape()),
    }
}

fn connect(exchange: &Exchange, credit: u32) -> ConsumerSession {
    let session = exchange.connect(ConnectOptions::default()).unwrap();
    session.grant(credit);
    session
}

fn next(session: &ConsumerSession) -> SessionEvent {
    session
        .recv()
        .now_or_never()
        .expect("an event is there")
        .expect("the stream is open")
}

fn delivered(session: &ConsumerSession) -> String {
    match next(session) {
        SessionEvent::Deliver(delivery) => delivery.reference,
        other => panic!("{other:?} instead of a delivery"),
    }
}

#[tokio::test]
async fn who_never_reads_outcomes_waits_with_further_answers_and_goes_on_by_reading() {
    let exchange = exchange(&ManualClock::new());
    let session = Arc::new(connect(&exchange, 0));
    let refs: Vec<String> = (0..UNREAD_OUTCOMES_MAX + 10)
        .map(|number| format!("unknown-{number}"))
        .collect();
    let mut acking = Box::pin(session.ack(&refs));
    assert!((&mut acking).now_or_never().is_none(), "it waits");
    let mut read = 0;
    loop {
        assert!(matches!(
            next(&session),
            SessionEvent::Outcome {
                result: AnswerResult::Stale,
                ..
            }
        ));
        read += 1;
        if (&mut acking).now_or_never().is_some() {
            break;
        }
    }
    assert_eq!(read, 10);
}

#[tokio::test]
async fn outcomes_come_before_deliveries_and_answers_to_live_attempts_wait_for_nobody() {
    let exchange = Exchange::new(ExchangeOptions {
        clock: ManualClock::new().physical(),
        consumer_bytes: u64::MAX,
    });
    let mut sink = open(&exchange);
    let session = connect(&exchange, u32::MAX);
    let held = UNREAD_OUTCOMES_MAX as u64 + 10;
    for sequence in 0..held {
        sink.offer(offer(0, sequence, 1, 1));
    }
    let refs: Vec<String> = (0..held).map(|_| delivered(&session)).collect();
    sink.offer(offer(0, held, 1, 1));
    let acked = session.ack(&refs).now_or_never();
    assert_eq!(acked, Some(Ok(())), "who has read them all may answer them all");
    for reference in refs {
        match next(&session) {
            SessionEvent::Outcome {
                reference: of,
                result,
            } => {
                assert_eq!((of, result), (reference, AnswerResult::Confirmed));
            }
            other => panic!("{other:?} instead of an outcome"),
        }
    }
    delivered(&session);
}

#[tokio::test]
async fn a_malformed_message_has_no_effect_at_all() {
    let exchange = exchange(&ManualClock::new());
    let mut sink = open(&exchange);
    let session = connect(&exchange, 1);
    sink.offer(offer(0, 0, 1, 1));
    let reference = delivered(&session);
    let refs = [reference.clone(), "x".repeat(65)];
    assert_eq!(session.ack(&refs).await, Err(MalformedAnswer::Ref { index: 1 }));
    assert_eq!(
        session.reject(&refs[..1], "not allowed").await,
        Err(MalformedAnswer::BadReason { at: 3 })
    );
    assert!(sink.take_answer().is_none() && session.recv().now_or_never().is_none());
    session.ack(&refs[..1]).await.unwrap();
    assert_eq!(
        sink.take_answer().map(|answer| answer.outcome),
        Some(Outcome::DELIVERED)
    );
}

#[tokio::test]
async fn the_lease_runs_on_the_physical_clock_and_wakes_the_emitter() {
    let clock = ManualClock::new();
    let exchange = exchange(&clock);
    let mut sink = open(&exchange);
    let session = connect(&exchange, 1);
    sink.offer(offer(0, 0, 1, 1));
    let mut answer = sink.next_answer();
    assert!((&mut answer).now_or_never().is_none());
    clock.advance(ACK_TIMEOUT - Duration::from_nanos(1)).await;
    assert!((&mut answer).now_or_never().is_none());
    clock.advance(Duration::from_nanos(1)).await;
    assert!(matches!(
        answer.now_or_never().map(|answer| answer.outcome),
        Some(Outcome::Unresolved(_))
    ));
    delivered(&session);
    assert!(matches!(
        next(&session),
        SessionEvent::Revoked {
            reason: RevokedReason::Timeout,
            ..
        }
    ));
}

#[tokio::test]
async fn a_closed_or_superseded_sink_offers_and_hears_nothing() {
    let exchange = exchange(&ManualClock::new());
    let mut first = open(&exchange);
    let session = connect(&exchange, 10);
    first.offer(offer(0, 0, 1, 1));
    let reference = delivered(&session);
    let mut second = open(&exchange);
    assert!(matches!(
        next(&session),
        SessionEvent::Revoked {
            reason: RevokedReason::Changed,
            ..
        }
    ));
    session.ack(&[reference]).await.unwrap();
    assert!(matches!(
        next(&session),
        SessionEvent::Outcome {
            result: AnswerResult::Stale,
            ..
        }
    ));
    first.offer(offer(0, 1, 1, 1));
    assert!(first.take_answer().is_none() && second.take_answer().is_none());
    drop(first);
    second.offer(offer(0, 2, 1, 1));
    delivered(&session);
    second.close(RevokeReason::Stopped);
    assert!(matches!(
        next(&session),
        SessionEvent::Revoked {
            reason: RevokedReason::Stopped,
            ..
        }
    ));
    assert_eq!(exchange.status().active_consumers, 1, "the stream stays");
}

#[tokio::test]
async fn a_stream_ends_after_its_last_outcome_and_then_gives_nothing() {
    let exchange = exchange(&ManualClock::new());
    let session = connect(&exchange, 1);
    session.ack(&["r".to_owned()]).await.unwrap();
    session.half_close();
    assert!(matches!(next(&session), SessionEvent::Outcome { .. }));
    assert!(matches!(next(&session), SessionEvent::End(EndReason::HalfClosed)));
    assert!(session.recv().await.is_none());
    assert_eq!(exchange.status().active_consumers, 0);
}

#[tokio::test]
async fn an_answer_after_the_lease_is_stale_even_before_the_emitter_looked_at_the_clock() {
    let clock = ManualClock::new();
    let exchange = exchange(&clock);
    let mut sink = open(&exchange);
    let session = connect(&exchange, 1);
    sink.offer(offer(0, 0, 1, 1));
    let reference = delivered(&session);
    clock.advance(ACK_TIMEOUT).await;
    session.ack(&[reference]).await.unwrap();
    assert!(matches!(
        next(&session),
        SessionEvent::Revoked {
            reason: RevokedReason::Timeout,
            ..
        }
    ));
    assert!(matches!(
        next(&session),
        SessionEvent::Outcome {
            result: AnswerResult::Stale,
            ..
        }
    ));
    let outcome = sink.take_answer().map(|answer| answer.outcome);
    assert!(
        matches!(&outcome, Some(Outcome::Unresolved(failure)) if failure.kind == FailureKind::TimedOut),
        "{outcome:?}"
    );
    assert!(sink.take_answer().is_none());
    let status = exchange.status();
    assert_eq!(
        (status.acks, status.timeouts, status.suspended_consumers),
        (0, 1, 0),
        "its message ends the suspension"
    );
}

#[tokio::test]
async fn another_output_schema_ends_streams_and_keeps_counters_and_results() {
    let exchange = exchange(&ManualClock::new());
    let mut sink = open(&exchange);
    let session = connect(&exchange, 2);
    sink.offer(offer(0, 0, 1, 1));
    let reference = delivered(&session);
    session.ack(std::slice::from_ref(&reference)).await.unwrap();
    assert!(matches!(next(&session), SessionEvent::Outcome { .. }));
    let renewed = exchange.renewed();
    assert!(matches!(next(&session), SessionEvent::End(EndReason::Changed)));
    assert_eq!(
        exchange.connect(ConnectOptions::default()).err(),
        Some(EndReason::Changed),
        "who found it under the old schema"
    );
    let mut sink = open(&renewed);
    let session = connect(&renewed, 1);
    session.ack(std::slice::from_ref(&reference)).await.unwrap();
    assert!(matches!(
        next(&session),
        SessionEvent::Outcome {
            result: AnswerResult::Confirmed,
            ..
        }
    ));
    sink.offer(offer(0, 1, 1, 1));
    assert_ne!(delivered(&session), reference);
    let status = renewed.status();
    assert_eq!((status.acks, status.active_consumers), (1, 1));
}
