//! `acos`.

use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{F64, Fails, NullF64};
use super::super::reference::{Entry, example};
use super::real::one;
use crate::fault::Fault;
use crate::program::value::Outcome;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    function: Function::Acos,
    summary: "The angle in radians whose cosine is the argument, which lies between -1 and 1.",
    examples: &[
        example(&[F64(1.0)], F64(0.0)),
        example(&[F64(1.5)], Fails(Fault::Domain)),
        example(&[F64(f64::NAN)], F64(f64::NAN)),
        example(&[NullF64], NullF64),
    ],
    kernel: acos,
}];

fn acos(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    one(args, f64::acos)
}
