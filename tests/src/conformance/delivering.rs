//! What holds while nothing is wrong.

use nervix_proto::client::v1::answer::Status;

use super::graph::TARGET;
use super::trial::batch;
use super::{Destination, Trial};
use crate::wait::must;

/// A writer is answered when the destination has confirmed, and what it was answered for is there.
pub async fn confirmed_is_acknowledged<D: Destination>(mode: &str) -> Trial<D> {
    let trial = Trial::<D>::begin(mode).await;
    let statuses = trial.write(&[(1, "a"), (2, "ä \"b\""), (3, "")]).await;
    assert_eq!(statuses, [Status::Done]);
    trial.until_arrived(&[1, 2, 3]).await;
    assert_eq!(trial.ids().await, [1, 2, 3], "each once, in order");
    let sent = trial
        .server
        .metric_of("nervix_messages_total", "direction=\"out\"")
        .await;
    assert!(sent >= 3.0, "{sent}");
    trial
}

/// The order of one source and branch is the destination's.
pub async fn order_is_kept_over_flushes<D: Destination>(mode: &str) -> Trial<D> {
    let trial = Trial::<D>::begin(mode).await;
    let put = trial.writer().await;
    let ids: Vec<i64> = (0..200).collect();
    for chunk in ids.chunks(7) {
        let records: Vec<(i64, &str)> = chunk.iter().map(|id| (*id, "x")).collect();
        must("write", put.write(batch(&records)).await);
    }
    must("finish", put.finish().await);
    trial.until_arrived(&ids).await;
    assert_eq!(trial.ids().await, ids);
    trial
}

/// No record, no write; and nothing is made at the destination that an operator did not make.
pub async fn nothing_is_written_for_nothing<D: Destination>(mode: &str) -> Trial<D> {
    let trial = Trial::<D>::begin(mode).await;
    let before = trial.destination.inventory().await;
    assert!(before.contains(TARGET), "the target was provisioned: {before:?}");
    trial
        .server
        .exec("USE d; ALTER EMITTER outbox ALTER FROM events SET WHERE input.id > 0;");
    assert_eq!(trial.write(&[(-1, "a"), (0, "b")]).await, [Status::Done]);
    assert_eq!(trial.write(&[(1, "c")]).await, [Status::Done]);
    trial.until_arrived(&[1]).await;
    assert_eq!(trial.arrived().await.len(), 1);
    assert_eq!(trial.destination.inventory().await, before);
    trial
}
