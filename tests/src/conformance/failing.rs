//! Destinations that are absent, break off, restart, or stay silent: nothing is lost, nothing is acknowledged too early.

use std::collections::BTreeSet;
use std::time::Duration;

use nervix_proto::client::v1::answer::Status;

use super::trial::batch;
use super::{Destination, Trial};
use crate::door::Passage;
use crate::flight::{Put, statuses};
use crate::wait::{must, until};

/// Counts records.
const SENT: &str = "nervix_messages_total";

/// The emitter starts without its destination, says so, and delivers when it comes. In a mode without confirmations a record
/// counts when the client has taken it, which may be before.
pub async fn absent_at_start<D: Destination>(mode: &str) -> Trial<D> {
    let mut trial = Trial::<D>::begin_absent(mode).await;
    let mut put = trial.writer().await;
    must("write", put.write(batch(&[(1, "a"), (2, "b")])).await);
    if trial.mode.confirms() {
        trial.until_troubled().await;
        assert_eq!(trial.describe("state").as_deref(), Some("unavailable"));
        unanswered(&mut put);
    } else {
        until("the client has taken it, or tells of its trouble", || async {
            let taken = trial.server.metric_of(SENT, "direction=\"out\"").await;
            let error = trial.describe("transient error");
            (taken >= 2.0 || error.is_some_and(|error| error != "none")).then_some(())
        })
        .await;
    }
    trial.door.arrive();
    assert_eq!(statuses(must("finish", put.finish().await)), [Status::Done]);
    trial.until_arrived(&[1, 2]).await;
    trial.until_well().await;
    trial
}

/// A server that is killed and started again in the middle: every record that was acknowledged is there, in order.
pub async fn restarted_in_the_middle<D: Destination>(mode: &str) -> Trial<D> {
    let mut trial = Trial::<D>::begin(mode).await;
    let mut put = trial.writer().await;
    must("write", put.write(batch(&[(1, "a"), (2, "b")])).await);
    answered(&mut put, 1).await;
    trial.until_arrived(&[1, 2]).await;
    trial.destination.kill().await;
    must("write", put.write(batch(&[(3, "c"), (4, "d")])).await);
    trial.until_troubled().await;
    unanswered(&mut put);
    trial.destination.start_again().await;
    assert_eq!(statuses(must("finish", put.finish().await)), [Status::Done]);
    trial.until_arrived(&[1, 2, 3, 4]).await;
    assert_eq!(first_arrivals(&trial.ids().await), [1, 2, 3, 4]);
    trial
}

/// What waits during an outage arrives in its order afterwards.
pub async fn order_is_kept_over_an_outage<D: Destination>(mode: &str) -> Trial<D> {
    let trial = Trial::<D>::begin(mode).await;
    let mut put = trial.writer().await;
    let ids: Vec<i64> = (0..60).collect();
    for (index, chunk) in ids.chunks(5).enumerate() {
        if index == 4 {
            answered(&mut put, 4).await;
            trial.until_arrived(&ids[..20]).await;
            trial.door.set(Passage::Shut);
        }
        let records: Vec<(i64, &str)> = chunk.iter().map(|id| (*id, "x")).collect();
        must("write", put.write(batch(&records)).await);
    }
    trial.until_troubled().await;
    unanswered(&mut put);
    trial.door.set(Passage::Open);
    assert_eq!(statuses(must("finish", put.finish().await)), [Status::Done; 8]);
    trial.until_arrived(&ids).await;
    assert_eq!(first_arrivals(&trial.ids().await), ids);
    trial
}

/// An answer that is lost leaves the record unacknowledged, and what is sent again is the same, byte for byte.
pub async fn ambiguous_is_sent_again_with_the_same_bytes<D: Destination>(mode: &str) -> Trial<D> {
    let trial = Trial::<D>::begin(mode).await;
    assert_eq!(trial.write(&[(1, "a")]).await, [Status::Done]);
    trial.door.set(Passage::NoAnswers);
    let mut put = trial.writer().await;
    must("write", put.write(batch(&[(2, "b"), (3, "c")])).await);
    trial.until_troubled().await;
    unanswered(&mut put);
    trial.door.set(Passage::Open);
    assert_eq!(statuses(must("finish", put.finish().await)), [Status::Done]);
    trial.until_arrived(&[1, 2, 3]).await;
    let arrived = trial.arrived().await;
    let units: BTreeSet<(Vec<i64>, Vec<u8>)> = arrived
        .iter()
        .map(|arrival| (arrival.ids.clone(), arrival.bytes.to_vec()))
        .collect();
    let distinct: BTreeSet<Vec<i64>> = arrived.iter().map(|arrival| arrival.ids.clone()).collect();
    assert_eq!(
        units.len(),
        distinct.len(),
        "the same members in other bytes: {arrived:?}"
    );
    assert_eq!(
        arrived.len() > distinct.len(),
        !D::TELLS_COPIES_APART,
        "what was taken without an answer is seen again: {arrived:?}"
    );
    let members: usize = distinct.iter().map(Vec::len).sum();
    assert_eq!(members, 3, "the same members in other groups: {arrived:?}");
    trial
}

/// A destination that goes silent: the bound passes, nothing is acknowledged, and the work goes on when it speaks again.
pub async fn silent_until_the_timeout<D: Destination>(mode: &str) -> Trial<D> {
    let trial = Trial::<D>::begin_with(mode, Duration::from_millis(500)).await;
    assert_eq!(trial.write(&[(1, "a")]).await, [Status::Done]);
    trial.door.set(Passage::Stalled);
    let mut put = trial.writer().await;
    must("write", put.write(batch(&[(2, "b")])).await);
    trial.until_troubled().await;
    until("it was tried again", || async {
        let retries = trial.server.metric("nervix_emitter_retries_total").await;
        (retries >= 1.0).then_some(())
    })
    .await;
    unanswered(&mut put);
    trial.door.set(Passage::Open);
    assert_eq!(statuses(must("finish", put.finish().await)), [Status::Done]);
    trial.until_arrived(&[1, 2]).await;
    trial
}

/// Waits for the answers to so many batches: they are done.
async fn answered(put: &mut Put, batches: u64) {
    let mut answered = 0;
    while answered < batches {
        let answer = must("an answer", put.answer().await);
        let answer = must("an answer", answer.ok_or("the end"));
        assert_eq!(answer.status(), Status::Done);
        answered = answer.last + 1;
    }
}

/// Nothing is acknowledged that the destination did not confirm.
fn unanswered(put: &mut Put) {
    assert!(
        must("an open stream", put.is_unanswered()),
        "it was answered too early"
    );
}

/// Ids in the order in which each arrived first.
fn first_arrivals(ids: &[i64]) -> Vec<i64> {
    let mut seen = BTreeSet::new();
    ids.iter().copied().filter(|id| seen.insert(*id)).collect()
}
