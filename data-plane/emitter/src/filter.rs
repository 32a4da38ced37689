//! Source WHERE (`emitters.txt`, Branch Semantics): evaluated for its own relay only.
//!
//! Invariant: each row is kept, dropped, or failed once; what all rows pass is not copied.

use std::sync::Arc;

use arrow::error::ArrowError;
use nervix_ack::Share;
use nervix_columns::{filter, held_bytes, logical_bytes};
use nervix_expr::{Frame, Predicate, RowGroup};

use crate::admit::{Admission, Admitted};
use crate::failed::{Failed, failed_input};
use crate::plan::Policy;

/// What became of the rows of one batch.
pub(crate) struct Filtered {
    pub(crate) kept: Option<Admitted>,
    pub(crate) dropped: Share,
    pub(crate) failed: Option<Failed>,
}

/// Whether a source's WHERE drops every row, so that the batch need not wait for a state.
pub(crate) fn drops_all(admitted: &Admitted, predicate: &Predicate) -> bool {
    let filtered = predicate.keep(&Frame::of_input(&admitted.records, &admitted.snapshot));
    filtered.failures.is_empty() && filtered.keep.count_set_bits() == 0
}

/// Applies a source's WHERE.
pub(crate) fn filter_source(
    mut admitted: Admitted,
    predicate: &Predicate,
    policy: &Policy,
    admission: &Admission,
) -> Result<Filtered, ArrowError> {
    let frame = Frame::of_input(&admitted.records, &admitted.snapshot);
    let filtered = predicate.keep(&frame);
    if filtered.keeps_all() {
        return Ok(Filtered {
            kept: Some(admitted),
            dropped: Share::default(),
            failed: None,
        });
    }
    let mut groups: Vec<u32> = filtered.keep.iter().map(|kept| group(kept) as u32).collect();
    for failure in &filtered.failures {
        if let Some(group) = groups.get_mut(failure.row as usize) {
            *group = RowGroup::Failed as u32;
        }
    }
    let (kept, dropped, failed) = deal(std::mem::take(&mut admitted.share), &groups);
    let failed = if filtered.failures.is_empty() {
        None
    } else {
        let input = failed_input(policy, &admitted.records, &filtered.failed())?;
        let (lane, snapshot) = (admitted.lane.clone(), admitted.snapshot.clone());
        Some(Failed {
            lane,
            share: failed,
            snapshot,
            bound: admitted.bound.clone(),
            input,
            partial: None,
            failures: filtered.failures,
        })
    };
    admitted.share = kept;
    admitted.records = filter(&admitted.records, &filtered.keep)?;
    admitted.bytes = logical_bytes(&admitted.records);
    // Copies, which no longer need what they were cut from.
    admitted.held = Arc::new(admission.charge(held_bytes(&admitted.records)));
    let kept = (!admitted.share.is_empty()).then_some(admitted);
    Ok(Filtered {
        kept,
        dropped,
        failed,
    })
}

fn group(kept: bool) -> RowGroup {
    if kept { RowGroup::Kept } else { RowGroup::Dropped }
}

/// Deals a share out to the groups of [`RowGroup`]: kept, dropped, failed.
pub(crate) fn deal(share: Share, groups: &[u32]) -> (Share, Share, Share) {
    let mut shares = share.partition(groups, RowGroup::COUNT).into_iter();
    let mut next = || shares.next().unwrap_or_default();
    (next(), next(), next())
}
