//! `length`, `char_length`.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int64Array, StringArray};
use arrow::datatypes::Int64Type;
use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{I64, NullI64, NullText, Text};
use super::super::reference::{Entry, Example, example};
use super::letters::used_bytes;
use super::slice::characters;
use crate::program::built::number_rows;
use crate::program::value::{Outcome, Value, wrong_type};

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
    if let Value::Rows(array) = args.value(0)? {
        let texts = array.as_string_opt::<i32>().ok_or_else(wrong_type)?;
        if used_bytes(texts).is_ascii() {
            return Ok(Outcome::rows(lengths_in_bytes(texts)?));
        }
    }
    let texts = args.text(0)?;
    number_rows::<Int64Type>(args.context, args.name, |row| {
        Ok(texts
            .get(row)
            .map(|text| i64::try_from(characters(text)).unwrap_or(i64::MAX)))
    })
}

/// How far the offsets are apart.
fn lengths_in_bytes(texts: &StringArray) -> Result<ArrayRef, ArrowError> {
    let (starts, ends) = (texts.value_offsets().iter(), texts.value_offsets().iter().skip(1));
    let lengths: Vec<i64> = starts
        .zip(ends)
        .map(|(start, end)| i64::from(end - start))
        .collect();
    let column = Int64Array::try_new(lengths.into(), texts.nulls().cloned())?;
    Ok(Arc::new(column))
}
