//! `floor`.

use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{F64, I64, NullF64};
use super::super::reference::{Entry, example};
use super::whole::whole;
use crate::program::value::Outcome;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    function: Function::Floor,
    summary: "The greatest whole number that is not greater than the argument, in its type.",
    examples: &[
        example(&[F64(1.8)], F64(1.0)),
        example(&[F64(-1.2)], F64(-2.0)),
        example(&[I64(7)], I64(7)),
        example(&[NullF64], NullF64),
    ],
    kernel: floor,
}];

fn floor(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    whole(args, f32::floor, f64::floor)
}
