//! Construction and route WHERE (`emitters.txt`, Codec-emitter construction; companion section 5).
//!
//! Invariant: each source row is in the carrier, dropped by WHERE, or failed once. Inherited columns are shared with the
//! relay batch, not copied. What the construction makes beside them, nulls included, is counted in the node's budget.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::buffer::BooleanBuffer;
use arrow::error::ArrowError;
use nervix_ack::Share;
use nervix_budget::Held;
use nervix_columns::{filter, held_bytes, held_bytes_together, logical_bytes};
use nervix_expr::{Constructed, Frame};

use crate::admit::{Admission, Admitted};
use crate::carrier::{Carrier, Holding};
use crate::failed::{Failed, failed_input};
use crate::filter::deal;
use crate::headers::{invoke, is_invoked};
use crate::plan::Plan;
use crate::written::Written;

/// What became of the rows of one batch.
pub(crate) struct Built {
    pub(crate) carrier: Option<Carrier>,
    pub(crate) dropped: Share,
    /// By stage.
    pub(crate) failed: Vec<Failed>,
}

/// What became of a batch.
pub(crate) enum Construction {
    Built(Built),
    /// What it does not set takes too much memory at once; each half is to be constructed by itself.
    Halved(Admitted, Admitted),
}

/// Builds the output records of a batch.
pub(crate) fn construct(
    admitted: Admitted,
    plan: &Plan,
    admission: &Admission,
) -> Result<Construction, ArrowError> {
    let states = admitted.bound.relay_state();
    let frame = Frame::of_input(&admitted.records, &admitted.snapshot).with_relay_state(&states);
    let constructed = plan.constructor.construct(&frame);
    drop(states);
    match constructed {
        Ok(constructed) => built(admitted, constructed, plan, admission).map(Construction::Built),
        Err(ArrowError::MemoryError(_)) if admitted.records.num_rows() > 1 => {
            let (front, rest) = admitted.halved(admission);
            Ok(Construction::Halved(front, rest))
        }
        Err(ArrowError::MemoryError(_)) => too_large(admitted, plan).map(Construction::Built),
        Err(error) => Err(error),
    }
}

/// A single record that is past the bound alone is its own fault.
fn too_large(admitted: Admitted, plan: &Plan) -> Result<Built, ArrowError> {
    let input = failed_input(&plan.policy, &admitted.records, &BooleanBuffer::new_set(1))?;
    let failed = Failed {
        lane: admitted.lane,
        share: admitted.share,
        snapshot: admitted.snapshot,
        bound: admitted.bound,
        input,
        partial: None,
        failures: vec![plan.constructor.unset_failure()],
    };
    Ok(Built {
        carrier: None,
        dropped: Share::default(),
        failed: vec![failed],
    })
}

fn built(
    mut admitted: Admitted,
    mut constructed: Constructed,
    plan: &Plan,
    admission: &Admission,
) -> Result<Built, ArrowError> {
    let (kept, dropped, failed) = match constructed.groups() {
        None => (
            std::mem::take(&mut admitted.share),
            Share::default(),
            Share::default(),
        ),
        Some(groups) => deal(std::mem::take(&mut admitted.share), &groups),
    };
    let failed = failed_rows(&admitted, failed, &mut constructed, plan)?;
    let mut built = Built {
        carrier: None,
        dropped,
        failed: failed.into_iter().collect(),
    };
    if kept.is_empty() {
        return Ok(built);
    }
    let Admitted {
        lane,
        records: input,
        snapshot,
        bound,
        at,
        held,
        ..
    } = admitted;
    let route = plan.policy.error_route();
    let source_rows = route.map(|route| route.keep_input(&input)).transpose()?.flatten();
    let source_rows = match (source_rows, &constructed.kept) {
        (Some(rows), Some(kept)) => Some(filter(&rows, kept)?),
        (rows, _) => rows,
    };
    let bytes = logical_bytes(&constructed.batch);
    let copied = constructed.kept.is_some();
    let source = (!copied).then_some((&input, held));
    let holding = holding(source, &constructed.batch, source_rows.as_ref(), admission);
    let carrier = Carrier {
        lane,
        records: constructed.batch,
        input: source_rows,
        share: kept,
        written: Written::default(),
        snapshot,
        bound,
        at,
        bytes,
        holding: Arc::new(holding),
        load: admission.load(bytes),
    };
    built.carrier = Some(carrier);
    if is_invoked(plan) {
        return with_invoked(built, (&input, constructed.kept.as_ref()), plan, admission);
    }
    Ok(built)
}

/// The rows that construction failed, with their share; none without one.
fn failed_rows(
    admitted: &Admitted,
    share: Share,
    constructed: &mut Constructed,
    plan: &Plan,
) -> Result<Option<Failed>, ArrowError> {
    if share.is_empty() {
        return Ok(None);
    }
    let route = plan.policy.error_route();
    let partial = route.map(|route| route.keep_partial(&constructed.partial_output));
    Ok(Some(Failed {
        lane: admitted.lane.clone(),
        share,
        snapshot: admitted.snapshot.clone(),
        bound: admitted.bound.clone(),
        input: failed_input(&plan.policy, &admitted.records, &constructed.failed())?,
        partial: partial.transpose()?.flatten(),
        failures: std::mem::take(&mut constructed.failures),
    }))
}

/// Runs METHOD, PATH and INVOKE over what was built; `kept` says which source rows its records came from, `None` for all.
fn with_invoked(
    mut built: Built,
    (input, kept): (&RecordBatch, Option<&BooleanBuffer>),
    plan: &Plan,
    admission: &Admission,
) -> Result<Built, ArrowError> {
    if let Some(carrier) = built.carrier.take() {
        let source = match kept {
            None => input.clone(),
            Some(kept) => filter(input, kept)?,
        };
        let invoked = invoke(carrier, &source, plan, admission)?;
        built.failed.extend(invoked.failed);
        built.carrier = invoked.carrier;
    }
    Ok(built)
}

/// What records hold of the node's budget: beside the `source` whose columns they share, or all of it where they are
/// copies, as the source rows kept with them are then.
fn holding(
    source: Option<(&RecordBatch, Arc<Held>)>,
    records: &RecordBatch,
    source_rows: Option<&RecordBatch>,
    admission: &Admission,
) -> Holding {
    let (parent, own) = match source {
        None => (
            None,
            held_bytes_together(source_rows.into_iter().chain([records])),
        ),
        Some((input, held)) => {
            let own = held_bytes_together([input, records]) - held_bytes(input);
            (Some(held), own)
        }
    };
    Holding {
        _parent: parent,
        _own: admission.charge(own),
    }
}
