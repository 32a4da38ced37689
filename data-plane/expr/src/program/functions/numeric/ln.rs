//! `ln`.

use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{F64, Fails, I64, NullF64};
use super::super::reference::{Entry, example};
use super::real::one;
use crate::fault::Fault;
use crate::program::value::Outcome;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    function: Function::Ln,
    summary: "The natural logarithm of a number above 0.",
    examples: &[
        example(&[I64(1)], F64(0.0)),
        example(&[I64(0)], Fails(Fault::Domain)),
        example(&[F64(-1.0)], Fails(Fault::Domain)),
        example(&[F64(f64::NAN)], F64(f64::NAN)),
        example(&[NullF64], NullF64),
    ],
    kernel: ln,
}];

fn ln(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    one(args, |x| if x == 0.0 { f64::NAN } else { x.ln() })
}
