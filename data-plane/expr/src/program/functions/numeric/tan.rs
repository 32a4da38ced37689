//! `tan`.

use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{F64, Fails, I64, NullF64};
use super::super::reference::{Entry, example};
use super::real::one;
use crate::fault::Fault;
use crate::program::value::Outcome;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    function: Function::Tan,
    summary: "The tangent of an angle in radians.",
    examples: &[
        example(&[I64(0)], F64(0.0)),
        example(&[F64(f64::NEG_INFINITY)], Fails(Fault::Domain)),
        example(&[F64(f64::NAN)], F64(f64::NAN)),
        example(&[NullF64], NullF64),
    ],
    kernel: tan,
}];

fn tan(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    one(args, f64::tan)
}
