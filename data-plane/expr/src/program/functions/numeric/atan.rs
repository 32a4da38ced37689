//! `atan`.

use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{F64, NullF64};
use super::super::reference::{Entry, example};
use super::real::one;
use crate::program::value::Outcome;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    function: Function::Atan,
    summary: "The angle in radians whose tangent is the argument.",
    examples: &[
        example(&[F64(0.0)], F64(0.0)),
        example(&[F64(f64::INFINITY)], F64(std::f64::consts::FRAC_PI_2)),
        example(&[F64(f64::NAN)], F64(f64::NAN)),
        example(&[NullF64], NullF64),
    ],
    kernel: atan,
}];

fn atan(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    one(args, f64::atan)
}
