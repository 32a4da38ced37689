//! The staged shape: a lake.

use bytes::Bytes;
use nervix_sink::{Failure, Outcome, Rejection};
use nervix_sink_testkit::Deed;
use nspl_model::{EmitterDef, SinkKind};

use super::destination::{Attempt, Destination};
use crate::outside::{COMMIT_EACH, ids_in, to_iceberg};
use crate::stage::Stage;

pub(super) struct OfLake;

impl Destination for OfLake {
    const KIND: SinkKind = SinkKind::Iceberg;

    fn define(def: &mut EmitterDef) {
        to_iceberg(def, 512 * 1024 * 1024);
    }

    fn refuse_to_open(stage: &Stage, failures: Vec<Failure>) {
        stage.lake.refuse_to_open(failures);
    }

    fn next(stage: &Stage, deeds: Vec<Deed>) {
        stage.lake.commits(deeds);
    }

    fn refuse(stage: &Stage, id: i64) {
        stage.lake.on_row(move |records, row| {
            let is_refused = ids_in(std::slice::from_ref(records))[row] == id;
            is_refused.then(|| Rejection::new("the table holds no such record"))
        });
    }

    fn answer(stage: &Stage, outcome: Outcome) -> bool {
        stage.lake.answer(outcome)
    }

    fn attempts(stage: &Stage) -> Vec<Attempt> {
        let attempts = stage.lake.attempts().into_iter();
        let attempts = attempts.map(|attempt| Attempt {
            ids: ids_in(&attempt.records),
            bytes: Bytes::from(format!("{} {:?}", attempt.id, attempt.records)),
            is_taken: matches!(attempt.deed, Deed::Take | Deed::TakeInSilence(_)),
        });
        attempts.collect()
    }

    async fn pass(stage: &Stage) {
        stage.flow().await;
        stage.clock.advance(COMMIT_EACH).await;
    }
}
