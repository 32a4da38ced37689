//! `length`, `char_length`.

use arrow::datatypes::Int64Type;
use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{I64, NullI64, NullText, Text};
use super::super::reference::{Entry, Example, example};
use super::slice::characters;
use crate::program::built::number_rows;
use crate::program::value::Outcome;

const SUMMARY: &str = "How many characters the text has.";

const EXAMPLES: &[Example] = &[
    example(&[Text("abc")], I64(3)),
    example(&[Text("€🦀")], I64(2)),
    example(&[Text("e\u{301}")], I64(2)),
    example(&[Text("")], I64(0)),
    example(&[NullText], NullI64),
];

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        function: Function::Length,
        summary: SUMMARY,
        examples: EXAMPLES,
        kernel: length,
    },
    Entry {
        function: Function::CharLength,
        summary: SUMMARY,
        examples: EXAMPLES,
        kernel: length,
    },
];

fn length(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    let texts = args.text(0)?;
    number_rows::<Int64Type>(args.context, args.name, |row| {
        Ok(texts
            .get(row)
            .map(|text| i64::try_from(characters(text)).unwrap_or(i64::MAX)))
    })
}
