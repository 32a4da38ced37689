//! The request shape: an endpoint.

use bytes::Bytes;
use nervix_sink::{Failure, Outcome, PreparedRequest, Rejection};
use nervix_sink_testkit::{Attempted, Deed};
use nspl_model::{EmitterDef, SinkKind};

use super::destination::{Attempt, Destination};
use crate::outside::{ids_of, to_http};
use crate::stage::Stage;

pub(super) struct OfEndpoint;

impl Destination for OfEndpoint {
    const KIND: SinkKind = SinkKind::Http;

    fn define(def: &mut EmitterDef) {
        to_http(def);
    }

    fn refuse_to_open(stage: &Stage, failures: Vec<Failure>) {
        stage.endpoint.refuse_to_open(failures);
    }

    fn next(stage: &Stage, deeds: Vec<Deed>) {
        stage.endpoint.hold(deeds.contains(&Deed::Hold));
        let outcomes = deeds.into_iter().filter_map(|deed| match deed {
            Deed::Take => Some(Outcome::DELIVERED),
            Deed::TakeInSilence(failure) | Deed::Fail(failure) => Some(Outcome::Unresolved(failure)),
            Deed::Refuse(rejection) => Some(Outcome::Rejected(rejection)),
            Deed::Hold => None,
        });
        stage.endpoint.answers(outcomes);
    }

    fn refuse(stage: &Stage, id: i64) {
        // Records are answered in the order of their ids, which count from 1.
        let before = std::iter::repeat_n(Outcome::DELIVERED, usize::try_from(id - 1).expect("an id"));
        let refused = Outcome::Rejected(Rejection::new("the endpoint takes no such record"));
        stage.endpoint.answers(before.chain([refused]));
    }

    fn answer(stage: &Stage, outcome: Outcome) -> bool {
        stage.endpoint.hold(false);
        stage.endpoint.answer(outcome)
    }

    fn attempts(stage: &Stage) -> Vec<Attempt> {
        stage.endpoint.attempts().iter().map(attempt).collect()
    }
}

fn attempt(sent: &Attempted<PreparedRequest, Outcome>) -> Attempt {
    let request = &sent.work;
    let body = request.body.clone().unwrap_or_default();
    let line = format!("{} {}\n", request.method, request.target);
    Attempt {
        ids: ids_of(&body),
        bytes: Bytes::from([line.as_bytes(), &body].concat()),
        is_taken: matches!(sent.answer, Some(Outcome::Delivered(_))),
    }
}
