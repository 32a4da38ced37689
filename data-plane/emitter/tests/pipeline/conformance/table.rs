//! The rows shape: a table.

use arrow::record_batch::RecordBatch;
use bytes::Bytes;
use nervix_sink::{Failure, Outcome, Rejection, RowAnswer};
use nervix_sink_testkit::{Attempted, Deed};
use nspl_model::{EmitterDef, SinkKind};

use super::destination::{Attempt, Destination};
use crate::outside::{ids_in, to_postgres};
use crate::stage::Stage;

pub(super) struct OfTable;

impl Destination for OfTable {
    const KIND: SinkKind = SinkKind::Postgres;

    fn define(def: &mut EmitterDef) {
        to_postgres(def, 1_000, u64::MAX);
    }

    fn refuse_to_open(stage: &Stage, failures: Vec<Failure>) {
        stage.table.refuse_to_open(failures);
    }

    fn next(stage: &Stage, deeds: Vec<Deed>) {
        stage.table.hold(deeds.contains(&Deed::Hold));
        let answers = deeds.into_iter().filter_map(|deed| match deed {
            Deed::Take => Some(RowAnswer::All(Outcome::DELIVERED)),
            Deed::TakeInSilence(failure) | Deed::Fail(failure) => Some(RowAnswer::Unresolved(failure)),
            Deed::Refuse(rejection) => Some(RowAnswer::Isolate(rejection)),
            Deed::Hold => None,
        });
        stage.table.answers(answers);
    }

    fn refuse(stage: &Stage, id: i64) {
        stage.table.on_write(
            move |columns| match ids_in(std::slice::from_ref(columns)).contains(&id) {
                true => RowAnswer::Isolate(Rejection::new("the table takes no such row")),
                false => RowAnswer::All(Outcome::DELIVERED),
            },
        );
    }

    fn answer(stage: &Stage, outcome: Outcome) -> bool {
        stage.table.hold(false);
        stage.table.answer(RowAnswer::All(outcome))
    }

    fn attempts(stage: &Stage) -> Vec<Attempt> {
        stage.table.attempts().iter().map(attempt).collect()
    }
}

fn attempt(wrote: &Attempted<RecordBatch, RowAnswer>) -> Attempt {
    Attempt {
        ids: ids_in(std::slice::from_ref(&wrote.work)),
        bytes: Bytes::from(format!("{:?}", wrote.work)),
        is_taken: matches!(wrote.answer, Some(RowAnswer::All(Outcome::Delivered(_)))),
    }
}
