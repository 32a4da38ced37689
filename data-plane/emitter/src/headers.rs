//! METHOD, PATH and INVOKE (`emitters.txt`, Header invocations and HTTP requests): what finished records say beside their
//! payload, staged all or nothing for each.
//!
//! Invariant: each record of the carrier either has its method, its target and all its headers, in this order, or failed
//! once; what failed is published in no part. They are evaluated once, with the snapshot of their batch, and never again
//! at a retry.

use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;
use nervix_columns::filter;
use nervix_expr::{Failure, Frame};

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

/// Whether records say anything beside their payload.
pub(crate) fn is_invoked(plan: &Plan) -> bool {
    plan.headers.is_some() || plan.request.is_some()
}

/// Evaluates it over the records of a carrier; `source` has their source rows, row for row.
pub(crate) fn invoke(
    mut carrier: Carrier,
    source: &RecordBatch,
    plan: &Plan,
    admission: &Admission,
) -> Result<Invoked, ArrowError> {
    let output: Vec<_> = carrier.records.columns().iter().cloned().map(Some).collect();
    let states = carrier.bound.relay_state();
    let frame = Frame::of_input(source, &carrier.snapshot)
        .with_relay_state(&states)
        .with_output(&output);
    let requests = plan.request.as_ref().map(|fields| fields.evaluate(&frame, None));
    let asked = requests.as_ref().and_then(|requests| requests.kept.clone());
    let envelopes = plan
        .headers
        .as_ref()
        .map(|headers| headers.stage(&frame, asked.as_ref()));
    drop(states);
    let kept = envelopes
        .as_ref()
        .map_or(asked, |envelopes| envelopes.kept.clone());
    let mut written = Written::default();
    if let Some(envelopes) = &envelopes {
        written = Written::of(envelopes, carrier.rows());
    }
    if let Some(requests) = &requests {
        written = written.with_requests(requests, kept.as_ref(), carrier.rows());
    }
    let mut failures: Vec<Failure> = requests.map(|requests| requests.failures).unwrap_or_default();
    failures.extend(envelopes.into_iter().flat_map(|envelopes| envelopes.failures));
    failures.sort_by_key(|failure| failure.row);
    let Some(kept) = kept.filter(|kept| kept.count_set_bits() < carrier.rows()) else {
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
        failures,
    };
    carrier.write(written, admission);
    Ok(Invoked {
        carrier: (carrier.rows() > 0).then_some(carrier),
        failed: Some(failed),
    })
}
