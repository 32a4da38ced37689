//! Construction and route WHERE (`emitters.txt`, Codec-emitter construction; companion section 5).
//!
//! Invariant: each source row is in the carrier, dropped by WHERE, or failed once. Inherited columns are shared with the
//! relay batch, not copied.

use std::sync::Arc;

use arrow::error::ArrowError;
use nervix_ack::Share;
use nervix_columns::{filter, logical_bytes};
use nervix_expr::Frame;

use crate::admit::{Admission, Admitted};
use crate::carrier::{Carrier, Holding};
use crate::failed::{Failed, failed_input};
use crate::filter::deal;
use crate::plan::Plan;

/// What became of the rows of one batch.
pub(crate) struct Built {
    pub(crate) carrier: Option<Carrier>,
    pub(crate) dropped: Share,
    pub(crate) failed: Option<Failed>,
}

/// Builds the output records of a batch.
pub(crate) fn construct(admitted: Admitted, plan: &Plan, admission: &Admission) -> Result<Built, ArrowError> {
    let states = admitted.bound.relay_state();
    let frame = Frame::of_input(&admitted.records, &admitted.snapshot).with_relay_state(&states);
    let constructed = plan.constructor.construct(&frame)?;
    drop(states);
    let route = plan.policy.error_route();
    let Admitted {
        lane,
        records: input,
        share,
        snapshot,
        bound,
        at,
        held,
        ..
    } = admitted;
    let (kept, dropped, failed) = match constructed.groups() {
        None => (share, Share::default(), Share::default()),
        Some(groups) => deal(share, &groups),
    };
    let failed = if failed.is_empty() {
        None
    } else {
        let input = failed_input(&plan.policy, &input, &constructed.failed())?;
        let partial = route
            .map(|route| route.keep_partial(&constructed.partial_output))
            .transpose()?
            .flatten();
        let (lane, snapshot, failures) = (lane.clone(), snapshot.clone(), constructed.failures);
        Some(Failed {
            lane,
            share: failed,
            snapshot,
            bound: bound.clone(),
            input,
            partial,
            failures,
        })
    };
    if kept.is_empty() {
        return Ok(Built {
            carrier: None,
            dropped,
            failed,
        });
    }
    let source_rows = route.map(|route| route.keep_input(&input)).transpose()?.flatten();
    let source_rows = match (source_rows, &constructed.kept) {
        (Some(rows), Some(kept)) => Some(filter(&rows, kept)?),
        (rows, _) => rows,
    };
    let bytes = logical_bytes(&constructed.batch);
    let copied = constructed.kept.is_some();
    let own = if copied || plan.computes { bytes } else { 0 };
    let holding = Holding {
        _parent: (!copied).then_some(held),
        _own: admission.charge(own),
    };
    let carrier = Carrier {
        lane,
        records: constructed.batch,
        input: source_rows,
        share: kept,
        snapshot,
        bound,
        at,
        bytes,
        holding: Arc::new(holding),
        load: admission.load(bytes),
    };
    Ok(Built {
        carrier: Some(carrier),
        dropped,
        failed,
    })
}
