//! Nothing that was planted is seen where it does not belong.

use nervix_proto::client::v1::answer::Status;

use super::trial::batch;
use super::{Destination, SECRET, Trial, VALUE};
use crate::door::Passage;
use crate::wait::must;

/// A secret of the CLIENT and a value of a record appear in no log line, metric, DESCRIBE or SHOW: not while all is well,
/// not in an outage, not after a rejection.
pub async fn nothing_is_leaked<D: Destination>() {
    let mut trial = Trial::<D>::begin().await;
    assert_eq!(trial.write(&[(1, VALUE)]).await, [Status::Done]);
    trial.door.set(Passage::Shut);
    let put = trial.writer().await;
    must("write", put.write(batch(&[(2, VALUE)])).await);
    trial.trouble().await;
    let mut seen = shown(&trial).await;
    trial.door.set(Passage::Open);
    assert_eq!(must("finish", put.finish().await).len(), 1);
    if let Some(note) = trial.destination.refused_note() {
        trial.server.exec("USE d; DROP EMITTER failed;");
        trial.write(&[(3, &note)]).await;
    }
    seen.extend(shown(&trial).await);
    seen.push(trial.server.process().printed());
    for text in seen {
        for planted in [SECRET, VALUE] {
            let at = text.lines().find(|line| line.contains(planted));
            assert!(at.is_none(), "{planted} is shown: {at:?}");
        }
    }
}

/// Everything that a person can look at.
async fn shown<D: Destination>(trial: &Trial<D>) -> Vec<String> {
    let (_, metrics) = trial.server.page("/metrics").await;
    let described = trial
        .server
        .exec("USE d; DESCRIBE EMITTER outbox; DESCRIBE CLIENT c;");
    let created = trial
        .server
        .exec("USE d; SHOW CREATE EMITTER outbox; SHOW CREATE CLIENT c;");
    vec![metrics, described, created]
}
