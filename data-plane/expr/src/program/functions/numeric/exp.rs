//! `exp`.

use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{F64, Fails, I64, NullF64};
use super::super::reference::{Entry, example};
use super::real::one;
use crate::fault::Fault;
use crate::program::value::Outcome;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    function: Function::Exp,
    summary: "e to the power of the argument.",
    examples: &[
        example(&[I64(0)], F64(1.0)),
        example(&[I64(710)], Fails(Fault::Overflow)),
        example(&[I64(-800)], F64(0.0)),
        example(&[F64(f64::INFINITY)], F64(f64::INFINITY)),
        example(&[F64(f64::NAN)], F64(f64::NAN)),
        example(&[NullF64], NullF64),
    ],
    kernel: exp,
}];

fn exp(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    one(args, f64::exp)
}
