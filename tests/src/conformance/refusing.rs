//! Records that the destination refuses for good.

use nervix_proto::client::v1::answer::Status;

use super::trial::batch;
use super::{Destination, Trial, VALUE};
use crate::flight::statuses;
use crate::wait::must;

/// A record that the destination refuses follows ON MESSAGE ERROR alone; its neighbours arrive, once and in order.
///
/// # Panics
/// When the destination names no such record.
pub async fn refused_is_rejected_alone<D: Destination>(mode: &str) -> Trial<D> {
    let trial = Trial::<D>::begin(mode).await;
    let note = must(
        "a record that is refused",
        trial.destination.refused_note().ok_or("none"),
    );
    reject_the_second(&trial, &note).await;
    trial
}

/// The same for a record that is larger than the destination takes. Both sizes are in the message where they are known.
///
/// # Panics
/// When the destination names no such record.
pub async fn oversize_is_rejected_alone<D: Destination>(mode: &str) -> Trial<D> {
    let trial = Trial::<D>::begin(mode).await;
    let note = must(
        "a record that is too large",
        trial.destination.oversize_note().ok_or("none"),
    );
    reject_the_second(&trial, &note).await;
    trial
}

async fn reject_the_second<D: Destination>(trial: &Trial<D>, note: &str) {
    assert!(
        note.starts_with(VALUE),
        "it would not be noticed where it is shown"
    );
    let put = trial.writer().await;
    must("write", put.write(batch(&[(1, "a"), (2, note), (3, "c")])).await);
    let failed = trial.failures(1).await;
    let ids: Vec<i64> = failed.iter().map(|failed| failed.id).collect();
    assert_eq!(ids, [2]);
    for failed in &failed {
        assert_eq!(
            (failed.code.as_str(), failed.operation.as_str()),
            ("external", "publish")
        );
        assert!(!failed.reference.is_empty() && !failed.message.is_empty());
    }
    assert_eq!(statuses(must("finish", put.finish().await)), [Status::Done]);
    trial.until_arrived(&[1, 3]).await;
    assert_eq!(trial.ids().await, [1, 3]);
}
