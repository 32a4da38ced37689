//! `ascii`.

use arrow::datatypes::Int64Type;
use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{I64, NullI64, NullText, Text};
use super::super::reference::{Entry, example};
use crate::program::built::number_rows;
use crate::program::value::Outcome;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    function: Function::Ascii,
    summary: "The code point of the first character, 0 for an empty text.",
    examples: &[
        example(&[Text("Ab")], I64(65)),
        example(&[Text("€")], I64(0x20AC)),
        example(&[Text("")], I64(0)),
        example(&[NullText], NullI64),
    ],
    kernel: ascii,
}];

fn ascii(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    let texts = args.text(0)?;
    number_rows::<Int64Type>(args.context, args.name, |row| {
        Ok(texts
            .get(row)
            .map(|text| text.chars().next().map_or(0, |first| i64::from(u32::from(first)))))
    })
}
