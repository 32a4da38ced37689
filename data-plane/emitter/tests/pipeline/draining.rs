//! How a run ends, and what is left: drain, stop, panic, abandoned drains (companion section 14; rulings section 9).

use std::time::Duration;

use futures::FutureExt;
use nervix_emitter::{DrainError, EmitterState, RunEnd};
use nervix_sink::{Outcome, RevokeReason};
use nervix_sink_client::{AnswerResult, EndReason, RevokedReason, SessionEvent};
use nervix_sink_testkit::Deed;
use nspl_model::{Collect, Flush, Window};

use crate::model::{BACKOFF, mode};
use crate::payloads::{hold, parallel, sent, unavailable};
use crate::stage::{Stage, ack, delivery, event, ids, is_quiet, revoked, stage};

const HOUR: Duration = Duration::from_secs(3_600);

fn slow(def: &mut nspl_model::EmitterDef) {
    def.collect = Some(Collect {
        each: HOUR,
        max_bytes: None,
    });
    def.flush = Flush::Each {
        every: HOUR,
        max_bytes: 1 << 30,
    };
    def.mode = mode(Window::Parallel(4));
}

fn drain(stage: &Stage, bound: Duration) -> tokio::task::JoinHandle<Result<(), DrainError>> {
    let (handle, deadline) = (stage.handle.clone(), stage.clock.physical().now().after(bound));
    tokio::spawn(async move { handle.drain(deadline).await })
}

#[tokio::test]
async fn a_drain_finishes_what_is_queued_collected_buffered_and_out() {
    let stage = stage(slow);
    let consumer = stage.consumer(8);
    let written = stage.write(&[1, 2]).await;
    let gate = stage.sources[0].gate();
    let drained = drain(&stage, Duration::from_secs(60));
    stage.clock.settle().await;
    stage.clock.advance(Duration::from_secs(7)).await;
    let status = stage.handle.status();
    assert_eq!(status.state, EmitterState::Draining);
    assert!(status.lines().contains(&("draining", "for 7s".to_owned())));
    let batch = delivery(&consumer).await;
    assert_eq!(ids(&batch), [1, 2]);
    assert!(!drained.is_finished());
    ack(&consumer, &batch).await;
    assert_eq!(drained.await.unwrap(), Ok(()));
    assert!(written.verdict().is_some_and(|verdict| verdict.done == 2));
    drop(gate);
    stage.clock.settle().await;
    let status = stage.handle.status();
    assert_eq!((status.state, status.draining), (EmitterState::Running, None));
    let next = stage.write(&[3]).await;
    assert!(
        is_quiet(&consumer).await || next.verdict().is_none(),
        "it goes on by its own cadence"
    );
    assert_eq!(stage.handle.status().pending.messages, 1);
}

#[tokio::test]
async fn a_drain_asks_the_client_to_send_what_it_holds_while_confirmations_are_out() {
    let stage = stage(parallel(10));
    hold(&stage);
    let written = stage.write(&[1, 2]).await;
    stage.flow().await;
    assert_eq!(stage.broker.drains(), 0);
    stage.broker.fail_drains(vec![unavailable()]);
    let drained = drain(&stage, Duration::from_secs(60));
    stage.clock.settle().await;
    assert_eq!(stage.broker.drains(), 1);
    stage.clock.advance(BACKOFF).await;
    assert_eq!(
        stage.broker.drains(),
        2,
        "again after the backoff, until it is done"
    );
    stage.clock.advance(BACKOFF * 8).await;
    assert_eq!((stage.broker.drains(), drained.is_finished()), (2, false));
    for held in stage.broker.held() {
        assert!(stage.broker.answer(held, Outcome::DELIVERED));
    }
    assert_eq!(drained.await.unwrap(), Ok(()));
    assert_eq!(written.verdict().map(|verdict| verdict.done), Some(2));
    assert_eq!(sent(&stage), [[1], [2]], "nothing is sent twice");
}

#[tokio::test]
async fn a_drain_sends_on_while_a_client_that_takes_its_time_holds_what_was_sent() {
    let stage = stage(parallel(1));
    hold(&stage);
    let written = stage.write(&[1, 2]).await;
    stage.flow().await;
    stage.broker.fail_drains(vec![unavailable(); 2]);
    let drained = drain(&stage, Duration::from_secs(60));
    stage.clock.settle().await;
    assert_eq!(stage.broker.drains(), 1);
    let status = stage.handle.status();
    assert!(status.transient_error.is_none(), "{:?}", status.transient_error);
    for id in 1..=2 {
        assert_eq!(sent(&stage).last(), Some(&vec![id]), "without a wait");
        for held in stage.broker.held() {
            assert!(stage.broker.answer(held, Outcome::DELIVERED));
        }
        stage.clock.settle().await;
    }
    assert_eq!(drained.await.unwrap(), Ok(()));
    assert_eq!(written.verdict().map(|verdict| verdict.done), Some(2));
}

#[tokio::test]
async fn a_drain_that_outlasts_its_bound_changes_nothing() {
    let stage = stage(slow);
    let consumer = stage.consumer(8);
    let written = stage.write(&[1]).await;
    let drained = drain(&stage, Duration::from_secs(10));
    let held = delivery(&consumer).await;
    stage.clock.advance(Duration::from_secs(10)).await;
    assert_eq!(
        drained.await.unwrap(),
        Err(DrainError::TimedOut {
            messages: 1,
            retained_batches: 1
        })
    );
    stage.clock.settle().await;
    assert_eq!(stage.handle.status().state, EmitterState::Running);
    ack(&consumer, &held).await;
    stage.clock.settle().await;
    assert!(written.is_done());
}

#[tokio::test]
async fn a_drain_whose_caller_goes_leaves_the_emitter_running() {
    let stage = stage(slow);
    let _consumer = stage.consumer(0);
    stage.write(&[1]).await;
    let drained = drain(&stage, HOUR);
    stage.clock.settle().await;
    assert_eq!(stage.handle.status().state, EmitterState::Draining);
    drained.abort();
    assert!(drained.await.is_err());
    stage.clock.settle().await;
    assert_eq!(stage.handle.status().state, EmitterState::Running);
}

#[tokio::test]
async fn stop_revokes_discards_and_answers_unresolved_while_streams_stay() {
    let mut stage = stage(|def| def.mode = mode(Window::Parallel(4)));
    let consumer = stage.consumer(8);
    let assigned = stage.write(&[1]).await;
    stage.flow().await;
    let held = delivery(&consumer).await;
    let buffered = stage.write(&[2]).await;
    stage.handle.stop(RevokeReason::Stopped).await;
    let end = (&mut stage.task).await.unwrap();
    assert_eq!(end, RunEnd::Stopped(RevokeReason::Stopped));
    for written in [&assigned, &buffered] {
        assert_eq!(written.verdict().map(|verdict| verdict.unresolved), Some(1));
    }
    assert_eq!(revoked(&consumer).await, RevokedReason::Stopped);
    ack(&consumer, &held).await;
    assert!(matches!(
        event(&consumer).await,
        SessionEvent::Outcome {
            result: AnswerResult::Stale,
            ..
        }
    ));
    assert_eq!(stage.handle.status().state, EmitterState::Stopped);
    let counters = stage.counters.snapshot();
    assert_eq!(
        (
            counters.received.messages,
            counters.sent.messages,
            counters.unresolved
        ),
        (2, 0, 2)
    );
    assert_eq!(
        stage.handle.drain(stage.clock.physical().now()).await,
        Err(DrainError::Ended)
    );
    stage.restart();
    stage.write(&[3]).await;
    stage.flow().await;
    assert_eq!(
        ids(&delivery(&consumer).await),
        [3],
        "the stream goes on after START"
    );
    assert_eq!(
        stage.budget.used(),
        stage.handle.status().pending.retained_bytes + held.payload.size_bytes()
    );
}

#[tokio::test]
async fn a_task_that_dies_resolves_its_shares_as_unresolved_and_the_next_run_goes_on() {
    let mut stage = stage(|def| def.mode = mode(Window::Parallel(4)));
    let consumer = stage.consumer(8);
    let written = stage.write(&[1]).await;
    stage.flow().await;
    let held = delivery(&consumer).await;
    stage.task.abort();
    assert!((&mut stage.task).await.is_err());
    assert_eq!(written.verdict().map(|verdict| verdict.unresolved), Some(1));
    assert_eq!(revoked(&consumer).await, RevokedReason::Changed);
    assert!(stage.handle.has_ended());
    let queued = stage.write(&[2]).await;
    stage.restart();
    stage.flow().await;
    stage.flow().await;
    let next = delivery(&consumer).await;
    assert_eq!(ids(&next), [2], "what was queued in the relay meanwhile");
    assert_ne!(next.batch, held.batch);
    ack(&consumer, &next).await;
    stage.clock.settle().await;
    assert!(queued.is_done());
    assert_eq!(stage.exchange.status().acks, 1);
}

#[tokio::test]
async fn an_ended_exchange_tells_its_consumers_why_and_takes_no_new_ones() {
    let stage = stage(|_| {});
    let consumer = stage.consumer(8);
    stage.exchange.end(EndReason::Draining);
    assert!(matches!(
        event(&consumer).await,
        SessionEvent::End(EndReason::Draining)
    ));
    assert!(consumer.recv().await.is_none());
    assert_eq!(
        stage.exchange.connect(Default::default()).err(),
        Some(EndReason::Draining)
    );
    stage.exchange.reopen();
    assert!(stage.exchange.connect(Default::default()).is_ok());
}

#[tokio::test]
async fn a_writer_waits_when_nothing_is_consumed_and_nothing_is_dropped() {
    let stage = stage(|_| {});
    let mut written = 0_u64;
    loop {
        let rows: Vec<i64> = vec![7; 60_000];
        let (batch, verdict) = stage.batch(0, &rows, "x").await;
        drop(verdict);
        if stage.sources[0].publish(batch).now_or_never().is_none() {
            break;
        }
        written += 1;
        stage.clock.settle().await;
        stage.flow().await;
        assert!(written < 1_000, "a writer that nobody stops");
    }
    let pending = stage.handle.status().pending;
    assert!(pending.buffered_bytes >= nervix_emitter::READ_AHEAD_BYTES);
    assert!(pending.buffered_bytes < nervix_emitter::READ_AHEAD_BYTES + 40 * 1024 * 1024);
    assert_eq!(stage.counters.snapshot().unresolved, 0);
    assert_eq!(
        pending.messages + stage.sources[0].buffered() as u64 * 60_000,
        written * 60_000
    );
}

#[tokio::test]
async fn a_drain_sends_again_at_once_and_waits_for_the_client_to_finish() {
    let stage = stage(parallel(10));
    stage.broker.on_receipt(|received| match received.attempt {
        1 => Deed::Fail(unavailable()),
        _ => Deed::Take,
    });
    stage.write(&[1]).await;
    stage.flow().await;
    let deadline = stage.clock.physical().now().after(Duration::from_secs(60));
    let handle = stage.handle.clone();
    let draining = tokio::spawn(async move { handle.drain(deadline).await });
    stage.clock.settle().await;
    assert_eq!(sent(&stage), [[1], [1]], "before the backoff was over");
    assert_eq!(draining.await.expect("no panic"), Ok(()));
    assert_eq!(stage.broker.drains(), 1);
}

#[tokio::test]
async fn stopping_gives_everything_back_and_holds_nothing() {
    let stage = stage(parallel(10));
    hold(&stage);
    let written = stage.write(&[1, 2]).await;
    stage.flow().await;
    stage.handle.stop(RevokeReason::Stopped).await;
    let verdict = written.verdict().expect("a verdict");
    assert_eq!((verdict.done, verdict.unresolved), (0, 2));
    assert_eq!(stage.budget.used(), 0);
}
