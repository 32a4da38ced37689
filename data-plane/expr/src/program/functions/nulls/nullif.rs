//! `nullif`.

use arrow::error::ArrowError;
use nervix_columns::nullify;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{F64, I64, NullF64, NullI64, NullText, Text};
use super::super::reference::{Entry, example};
use crate::program::comparison::equal_rows;
use crate::program::value::Outcome;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    function: Function::Nullif,
    summary: "Null when both arguments are equal, else the first.",
    examples: &[
        example(&[I64(1), I64(1)], NullI64),
        example(&[I64(1), I64(2)], I64(1)),
        example(&[Text("a"), NullText], Text("a")),
        example(&[NullI64, I64(1)], NullI64),
        example(&[F64(f64::NAN), F64(f64::NAN)], NullF64),
    ],
    kernel: nullif,
}];

fn nullif(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    let rows = args.context.rows();
    let equal = equal_rows(args.value(0)?, args.value(1)?, rows)?;
    let array = args.value(0)?.clone().into_rows(rows)?;
    Ok(Outcome::rows(if equal.count_set_bits() == 0 {
        array
    } else {
        nullify(&array, &equal)?
    }))
}
