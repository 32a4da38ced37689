//! `pow`, `power`.

use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{F64, Fails, I64, NullF64};
use super::super::reference::{Entry, Example, example};
use super::real::two;
use crate::fault::Fault;
use crate::program::value::Outcome;

const SUMMARY: &str =
    "The first argument to the power of the second; 1 to any power, and anything to the power 0, is 1.";

const EXAMPLES: &[Example] = &[
    example(&[I64(2), I64(10)], F64(1024.0)),
    example(&[I64(1), F64(f64::NAN)], F64(1.0)),
    example(&[F64(f64::NAN), I64(0)], F64(1.0)),
    example(&[F64(-8.0), F64(0.5)], Fails(Fault::Domain)),
    example(&[I64(0), I64(-1)], Fails(Fault::Overflow)),
    example(&[I64(10), I64(400)], Fails(Fault::Overflow)),
    example(&[F64(-1e-200), I64(3)], F64(-0.0)),
    example(&[NullF64, I64(0)], NullF64),
];

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        function: Function::Pow,
        summary: SUMMARY,
        examples: EXAMPLES,
        kernel: pow,
    },
    Entry {
        function: Function::Power,
        summary: SUMMARY,
        examples: EXAMPLES,
        kernel: pow,
    },
];

fn pow(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    two(args, f64::powf)
}
