//! The end of a run whose client holds what its writers were told DONE of.

use std::time::Duration;

use nervix_emitter::{EmitterEventKind, LEFTOVER_MAX};
use nervix_sink::RevokeReason;
use nervix_sink_testkit::Deed;

use crate::payloads::{accepted, hold, parallel, sent, unavailable};
use crate::stage::{Stage, stage};

fn stop(stage: &Stage) -> tokio::task::JoinHandle<()> {
    let handle = stage.handle.clone();
    tokio::spawn(async move { handle.stop(RevokeReason::Stopped).await })
}

#[tokio::test]
async fn a_stop_lets_the_client_send_what_it_took_and_gives_back_what_it_did_not() {
    let stage = stage(accepted);
    let taken = stage.write(&[1]).await;
    stage.flow().await;
    assert!(taken.is_done());
    stage.broker.on_receipt(|_| Deed::Fail(unavailable()));
    let untaken = stage.write(&[2]).await;
    stage.flow().await;
    stage.broker.fail_drains(vec![unavailable()]);
    let stopping = stop(&stage);
    stage.clock.settle().await;
    assert_eq!(untaken.verdict().expect("a verdict").unresolved, 1, "at once");
    assert_eq!(stage.handle.status().pending.messages, 0);
    assert_eq!((stage.broker.drains(), stopping.is_finished()), (1, false));
    stage.clock.advance(Duration::from_millis(100)).await;
    assert_eq!((stage.broker.drains(), stopping.is_finished()), (2, true));
    assert_eq!(sent(&stage), [[1], [2]], "nothing is sent again");
}

#[tokio::test]
async fn a_client_that_cannot_send_holds_up_the_end_within_a_bound_and_it_is_told() {
    let stage = stage(accepted);
    stage.write(&[1]).await;
    stage.flow().await;
    stage.broker.fail_drains(vec![unavailable(); 1_000]);
    let stopping = stop(&stage);
    stage.clock.settle().await;
    stage.clock.advance(LEFTOVER_MAX - Duration::from_millis(1)).await;
    assert!(!stopping.is_finished());
    assert_eq!(stage.told(), []);
    stage.clock.advance(Duration::from_millis(1)).await;
    assert!(stopping.is_finished());
    assert_eq!(stage.told(), [EmitterEventKind::Lost]);
    assert_eq!(stage.handle.status().counters.lost, 1);
}

#[tokio::test]
async fn nobody_waits_for_a_client_that_holds_nothing_that_was_told_done() {
    let confirmed = stage(parallel(10));
    hold(&confirmed);
    let written = confirmed.write(&[1]).await;
    confirmed.flow().await;
    confirmed.handle.stop(RevokeReason::Stopped).await;
    assert_eq!(confirmed.broker.drains(), 0);
    assert_eq!(written.verdict().expect("a verdict").unresolved, 1);

    let drained = stage(accepted);
    drained.write(&[1]).await;
    drained.flow().await;
    let deadline = drained.clock.physical().now().after(Duration::from_secs(60));
    assert_eq!(drained.handle.drain(deadline).await, Ok(()));
    drained.handle.stop(RevokeReason::Stopped).await;
    assert_eq!(drained.broker.drains(), 1);
}
