//! `ceil`, `ceiling`.

use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{F64, I64, NullF64};
use super::super::reference::{Entry, Example, example};
use super::whole::whole;
use crate::program::value::Outcome;

const SUMMARY: &str = "The least whole number that is not less than the argument, in its type.";

const EXAMPLES: &[Example] = &[
    example(&[F64(1.2)], F64(2.0)),
    example(&[F64(-1.2)], F64(-1.0)),
    example(&[I64(7)], I64(7)),
    example(&[F64(f64::NAN)], F64(f64::NAN)),
    example(&[NullF64], NullF64),
];

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        function: Function::Ceil,
        summary: SUMMARY,
        examples: EXAMPLES,
        kernel: ceil,
    },
    Entry {
        function: Function::Ceiling,
        summary: SUMMARY,
        examples: EXAMPLES,
        kernel: ceil,
    },
];

fn ceil(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    whole(args, f32::ceil, f64::ceil)
}
