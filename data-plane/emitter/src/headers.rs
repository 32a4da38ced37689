//! INVOKE (`emitters.txt`, Header invocations): the headers of finished records, staged all or nothing for each.
//!
//! Invariant: each record of the carrier either has all its headers or failed once; what failed is published in no part.
//! They are evaluated once, with the snapshot of their batch, and never again at a retry.

use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;
use nervix_columns::filter;
use nervix_expr::{Frame, Headers};

use crate::admit::Admission;
use crate::carrier::Carrier;
use crate::failed::{Failed, failed_input};
use crate::plan::Plan;
use crate::written::Written;

/// What became of a carrier.
pub(crate) struct Invoked {
    pub(crate) carrier: Option<Carrier>,
    pub(crate) failed: Option<Failed>,
}

/// Runs the calls over the records of a carrier; `source` has their source rows, row for row.
pub(crate) fn invoke(
    mut carrier: Carrier,
    source: &RecordBatch,
    headers: &Headers,
    plan: &Plan,
    admission: &Admission,
) -> Result<Invoked, ArrowError> {
    let output: Vec<_> = carrier.records.columns().iter().cloned().map(Some).collect();
    let states = carrier.bound.relay_state();
    let frame = Frame::of_input(source, &carrier.snapshot)
        .with_relay_state(&states)
        .with_output(&output);
    let envelopes = headers.stage(&frame, None);
    drop(states);
    let written = Written::of(&envelopes, carrier.rows());
    let Some(kept) = envelopes
        .kept
        .filter(|kept| kept.count_set_bits() < carrier.rows())
    else {
        carrier.write(written, admission);
        return Ok(Invoked {
            carrier: Some(carrier),
            failed: None,
        });
    };
    let failed_rows = !&kept;
    let partial = plan.policy.error_route();
    let partial = partial
        .map(|route| route.keep_partial(&carrier.records))
        .transpose()?
        .flatten();
    let failed = Failed {
        lane: carrier.lane.clone(),
        snapshot: carrier.snapshot.clone(),
        bound: carrier.bound.clone(),
        input: failed_input(&plan.policy, source, &failed_rows)?,
        partial: partial
            .map(|records| filter(&records, &failed_rows))
            .transpose()?,
        share: carrier.keep_rows(&kept, admission)?,
        failures: envelopes.failures,
    };
    carrier.write(written, admission);
    Ok(Invoked {
        carrier: (carrier.rows() > 0).then_some(carrier),
        failed: Some(failed),
    })
}
