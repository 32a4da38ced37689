//! `bit_length`.

use arrow::datatypes::Int64Type;
use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{I64, NullI64, NullText, Text};
use super::super::reference::{Entry, example};
use crate::program::built::number_rows;
use crate::program::value::Outcome;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    function: Function::BitLength,
    summary: "How many bits the text has as UTF-8.",
    examples: &[
        example(&[Text("abc")], I64(24)),
        example(&[Text("🦀")], I64(32)),
        example(&[NullText], NullI64),
    ],
    kernel: bit_length,
}];

fn bit_length(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    let texts = args.text(0)?;
    number_rows::<Int64Type>(args.context, args.name, |row| {
        Ok(texts
            .get(row)
            .map(|text| i64::try_from(text.len()).unwrap_or(i64::MAX).saturating_mul(8)))
    })
}
