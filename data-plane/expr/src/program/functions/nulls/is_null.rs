//! `is_null`.

use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{Bool, F64, NullF64, NullText, Text};
use super::super::reference::{Entry, example};
use crate::program::value::{Outcome, Value};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    function: Function::IsNull,
    summary: "Whether the argument is null. NaN and an empty text are not.",
    examples: &[
        example(&[NullText], Bool(true)),
        example(&[Text("")], Bool(false)),
        example(&[F64(f64::NAN)], Bool(false)),
        example(&[NullF64], Bool(true)),
    ],
    kernel: is_null,
}];

fn is_null(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    let value = args.value(0)?;
    let array: ArrayRef = Arc::new(arrow::compute::is_null(value.array().as_ref())?);
    Ok(match value {
        Value::Rows(_) => Outcome::rows(array),
        Value::Constant(_) => Outcome::constant(array),
    })
}
