//! Nothing that was planted is seen where it does not belong.

use nervix_proto::client::v1::answer::Status;

use super::trial::batch;
use super::{Destination, Trial};
use crate::door::Passage;
use crate::flight::statuses;
use crate::wait::must;

/// A secret of the CLIENT and a value of a record appear in no log line, metric, DESCRIBE, SHOW, event or error record: not
/// while all is well, not in an outage, not after a rejection. Every trial of the suite is looked over so at its end; this one
/// goes through all that there is to look at.
pub async fn nothing_is_leaked<D: Destination>(mode: &str) -> Trial<D> {
    let trial = Trial::<D>::begin(mode).await;
    assert_eq!(trial.write(&[(1, "a")]).await, [Status::Done]);
    trial.until_arrived(&[1]).await;
    trial.door.set(Passage::Shut);
    let put = trial.writer().await;
    must("write", put.write(batch(&[(2, "b")])).await);
    if trial.mode.confirms() {
        trial.until_troubled().await;
        trial.until_told("unavailable").await;
    }
    trial.look().await;
    trial.door.set(Passage::Open);
    assert_eq!(statuses(must("finish", put.finish().await)), [Status::Done]);
    // Without confirmations what the client took while nothing answered may be lost.
    if trial.mode.confirms() {
        trial.until_arrived(&[1, 2]).await;
    }
    let refused = trial.destination.refused_note().filter(|_| trial.mode.confirms());
    if let Some(note) = refused {
        let put = trial.writer().await;
        must("write", put.write(batch(&[(3, &note)])).await);
        trial.failures(1).await;
        assert_eq!(statuses(must("finish", put.finish().await)), [Status::Done]);
    }
    trial
}
