//! `now`.

use std::sync::Arc;

use arrow::array::{ArrayRef, TimestampNanosecondArray};
use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Entry;
use crate::program::value::Outcome;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    function: Function::Now,
    summary: "The domain time of the execution snapshot: one instant for the whole batch.",
    examples: &[],
    kernel: now,
}];

fn now(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    let nanos = args.context.frame().snapshot.domain_time.0;
    let array: ArrayRef = Arc::new(TimestampNanosecondArray::from(vec![nanos]).with_timezone("UTC"));
    Ok(Outcome::constant(array))
}
