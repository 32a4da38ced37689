//! `round`.

use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{F64, I64, NullF64};
use super::super::reference::{Entry, example};
use super::whole::whole;
use crate::program::value::Outcome;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    function: Function::Round,
    summary: "The nearest whole number, halves away from zero, in the type of the argument.",
    examples: &[
        example(&[F64(2.5)], F64(3.0)),
        example(&[F64(-2.5)], F64(-3.0)),
        example(&[F64(0.499_999_999_999_999_94)], F64(0.0)),
        example(&[I64(7)], I64(7)),
        example(&[NullF64], NullF64),
    ],
    kernel: round,
}];

fn round(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    whole(args, f32::round, f64::round)
}
