//! What a batch is bound to: pinned at resolution, read by construction, headers and error routes, kept over every retry.

use std::sync::Arc;

use arrow::array::{RecordBatch, RecordBatchOptions};
use arrow::datatypes::Schema as ArrowSchema;
use nervix_clock::{DomainTime, Snapshot};
use nervix_expr::{Constructor, Frame, RelayState};
use nervix_relay::Latest;
use nspl_model::{Assignment, Expr, ExprKind, Literal, Schema};

use crate::plan::StartError;

/// The states of one batch, in the written order of the dependencies; none without one. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Bound(Option<Arc<[BoundState]>>);

/// One state under the name of its relay.
#[derive(Clone)]
pub(crate) struct BoundState {
    relay: Arc<str>,
    record: Record,
}

#[derive(Clone)]
enum Record {
    Latest(Arc<Latest>),
    Constant(RecordBatch),
}

impl Bound {
    pub(crate) fn new(states: Vec<BoundState>) -> Self {
        Self((!states.is_empty()).then(|| states.into()))
    }

    /// As expressions read it.
    pub(crate) fn relay_state(&self) -> Vec<RelayState<'_>> {
        let states = self.0.iter().flat_map(|states| states.iter());
        states.map(BoundState::relay_state).collect()
    }
}

impl BoundState {
    pub(super) fn latest(relay: &Arc<str>, latest: Arc<Latest>) -> Self {
        Self {
            relay: Arc::clone(relay),
            record: Record::Latest(latest),
        }
    }

    fn relay_state(&self) -> RelayState<'_> {
        RelayState {
            relay: &self.relay,
            record: match &self.record {
                Record::Latest(latest) => latest.record(),
                Record::Constant(record) => record,
            },
        }
    }
}

/// The record of DEFAULT: one literal for each field of `schema`.
pub(super) fn constant(
    relay: &Arc<str>,
    schema: &Schema,
    literals: &[Literal],
    emitter: &str,
) -> Result<BoundState, StartError> {
    let pairs = schema.fields.iter().zip(literals).enumerate();
    let set: Vec<Assignment> = pairs
        .map(|(index, (field, literal))| Assignment {
            index,
            expr: Expr {
                data_type: field.data_type.clone(),
                nullable: field.optional,
                sensitive: field.sensitive,
                kind: ExprKind::Literal(literal.clone()),
            },
        })
        .collect();
    let constructor = Constructor::assignments(&set, schema).map_err(|error| StartError::Expression {
        emitter: emitter.to_owned(),
        error,
    })?;
    let misfit = |_| StartError::Parts {
        emitter: emitter.to_owned(),
        what: "a DEFAULT that does not fit its relay",
    };
    let options = RecordBatchOptions::new().with_row_count(Some(1));
    let nothing = RecordBatch::try_new_with_options(Arc::new(ArrowSchema::empty()), Vec::new(), &options);
    let snapshot = Snapshot {
        domain_time: DomainTime::default(),
        seed: [0; 32],
    };
    let built = constructor.construct(&Frame::of_input(&nothing.map_err(misfit)?, &snapshot));
    Ok(BoundState {
        relay: Arc::clone(relay),
        record: Record::Constant(built.map_err(misfit)?.batch),
    })
}
