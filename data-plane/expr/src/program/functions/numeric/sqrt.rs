//! `sqrt`.

use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{F64, Fails, I64, NullF64};
use super::super::reference::{Entry, example};
use super::real::one;
use crate::fault::Fault;
use crate::program::value::Outcome;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    function: Function::Sqrt,
    summary: "The square root of a number that is not negative.",
    examples: &[
        example(&[I64(9)], F64(3.0)),
        example(&[F64(-1.0)], Fails(Fault::Domain)),
        example(&[F64(f64::NAN)], F64(f64::NAN)),
        example(&[NullF64], NullF64),
    ],
    kernel: sqrt,
}];

fn sqrt(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    one(args, f64::sqrt)
}
