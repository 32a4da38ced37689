//! The payload shape: a broker, alone and with many emitters on one handle.

use std::collections::VecDeque;

use nervix_emitter::EmitterHandle;
use nervix_sink::{Failure, Outcome, Rejection};
use nervix_sink_testkit::{Deed, Received};
use nspl_model::{EmitterDef, SinkKind};

use super::destination::{Attempt, Destination};
use crate::outside::{ids_of, to_kafka};
use crate::stage::Stage;

/// The emitter that a stage is about.
const EMITTER: &str = "notify";

/// Emitters beside it on the same handle.
const SIBLINGS: usize = 7;

/// The limit of a broker that has one; payloads are the digits of ids.
const LIMIT_BYTES: u32 = 4;

pub(super) struct OfBroker;

impl Destination for OfBroker {
    const KIND: SinkKind = SinkKind::Kafka;

    fn define(def: &mut EmitterDef) {
        to_kafka(def);
    }

    fn refuse_to_open(stage: &Stage, failures: Vec<Failure>) {
        stage.broker.refuse_to_open(failures);
    }

    fn next(stage: &Stage, deeds: Vec<Deed>) {
        let mut deeds = VecDeque::from(deeds);
        stage.broker.on_receipt(move |received| match &*received.emitter {
            EMITTER => deeds.pop_front().unwrap_or(Deed::Take),
            _ => Deed::Take,
        });
    }

    fn refuse(stage: &Stage, id: i64) {
        stage.broker.on_receipt(move |received| {
            let is_refused = &*received.emitter == EMITTER && ids_of(&received.bytes) == [id];
            match is_refused {
                true => Deed::Refuse(Rejection::new("the broker takes no such record")),
                false => Deed::Take,
            }
        });
    }

    fn limit(stage: &Stage) -> i64 {
        stage.broker.limit(LIMIT_BYTES);
        10_i64.pow(LIMIT_BYTES)
    }

    fn answer(stage: &Stage, outcome: Outcome) -> bool {
        let held = stage.broker.held();
        held.first().is_some_and(|id| stage.broker.answer(*id, outcome))
    }

    fn attempts(stage: &Stage) -> Vec<Attempt> {
        let received = stage.broker.received();
        let own = received.iter().filter(|received| &*received.emitter == EMITTER);
        own.map(attempt).collect()
    }
}

fn attempt(received: &Received) -> Attempt {
    Attempt {
        ids: ids_of(&received.bytes),
        bytes: received.bytes.clone(),
        is_taken: matches!(received.deed, Deed::Take | Deed::TakeInSilence(_)),
    }
}

/// Many emitters share the broker; what it does to one is nothing to the others.
pub(super) struct FanIn;

impl Destination for FanIn {
    const KIND: SinkKind = SinkKind::Kafka;

    fn define(def: &mut EmitterDef) {
        OfBroker::define(def);
    }

    fn beside(stage: &Stage) -> Vec<EmitterHandle> {
        let names = (0..SIBLINGS).map(|sibling| format!("sibling-{sibling}"));
        names.map(|name| stage.sibling(&name)).collect()
    }

    fn refuse_to_open(stage: &Stage, failures: Vec<Failure>) {
        OfBroker::refuse_to_open(stage, failures);
    }

    fn next(stage: &Stage, deeds: Vec<Deed>) {
        OfBroker::next(stage, deeds);
    }

    fn refuse(stage: &Stage, id: i64) {
        OfBroker::refuse(stage, id);
    }

    fn limit(stage: &Stage) -> i64 {
        OfBroker::limit(stage)
    }

    fn answer(stage: &Stage, outcome: Outcome) -> bool {
        OfBroker::answer(stage, outcome)
    }

    fn attempts(stage: &Stage) -> Vec<Attempt> {
        OfBroker::attempts(stage)
    }
}
