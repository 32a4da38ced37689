//! `log`.

use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{F64, Fails, I64, NullF64};
use super::super::reference::{Entry, example};
use super::real::{one, two};
use crate::fault::Fault;
use crate::program::value::Outcome;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    function: Function::Log,
    summary: "The logarithm to base 10, or, with two arguments, of the second to the base of the first.",
    examples: &[
        example(&[I64(1000)], F64(3.0)),
        example(&[I64(2), I64(8)], F64(3.0)),
        example(&[I64(10), F64(0.01)], F64(-2.0)),
        example(&[I64(0)], Fails(Fault::Domain)),
        example(&[I64(1), I64(5)], Fails(Fault::Domain)),
        example(&[I64(-2), I64(8)], Fails(Fault::Domain)),
        example(&[F64(f64::NAN), I64(-1)], F64(f64::NAN)),
        example(&[NullF64, I64(-1)], NullF64),
    ],
    kernel: log,
}];

fn log(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    if args.values.len() == 1 {
        return one(args, |x| if x == 0.0 { f64::NAN } else { x.log10() });
    }
    two(args, |base, x| {
        if base <= 0.0 || base == 1.0 || x == 0.0 {
            f64::NAN
        } else if base == 10.0 {
            x.log10()
        } else if base == 2.0 {
            x.log2()
        } else {
            x.ln() / base.ln()
        }
    })
}
