//! What the suite needs of a destination in memory.

use bytes::Bytes;
use nervix_emitter::EmitterHandle;
use nervix_sink::{Failure, Outcome};
use nervix_sink_testkit::Deed;
use nspl_model::{EmitterDef, SinkKind};

use crate::stage::Stage;

/// One attempt of one unit of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Attempt {
    /// The records in it, by their id.
    pub(crate) ids: Vec<i64>,
    /// Everything that has to be the same at every attempt.
    pub(crate) bytes: Bytes,
    /// Whether the destination has it now.
    pub(crate) is_taken: bool,
}

/// A destination of the testkit, behind the emitter of a [`Stage`].
pub(crate) trait Destination {
    /// A kind of its shape.
    const KIND: SinkKind;

    /// Makes the emitter one to it.
    fn define(def: &mut EmitterDef);

    /// What else runs on the same CLIENT.
    fn beside(_stage: &Stage) -> Vec<EmitterHandle> {
        Vec::new()
    }

    /// The next times that somebody opens a sink on it, it fails so.
    fn refuse_to_open(stage: &Stage, failures: Vec<Failure>);

    /// What it does about the next units of work of the emitter, in order; it takes those after them.
    fn next(stage: &Stage, deeds: Vec<Deed>);

    /// It refuses the record of this id for good.
    fn refuse(stage: &Stage, id: i64);

    /// Gives it a limit on what it takes, and an id whose record is above it.
    fn limit(_stage: &Stage) -> i64 {
        panic!("{} has no limit of its own", Self::KIND)
    }

    /// Answers the unit that it holds.
    fn answer(stage: &Stage, outcome: Outcome) -> bool;

    /// Every attempt of the emitter, in order.
    fn attempts(stage: &Stage) -> Vec<Attempt>;

    /// Lets every boundary pass that keeps records from the destination.
    fn pass(stage: &Stage) -> impl Future<Output = ()> {
        stage.flow()
    }
}
