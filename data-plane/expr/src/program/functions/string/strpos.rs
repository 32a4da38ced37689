//! `strpos`.

use arrow::datatypes::Int64Type;
use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{I64, NullI64, NullText, Text};
use super::super::reference::{Entry, example};
use super::slice::characters;
use crate::program::built::number_rows;
use crate::program::value::Outcome;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    function: Function::Strpos,
    summary: "The position of the first occurrence of the second text in the first, 0 when there is none.",
    examples: &[
        example(&[Text("€🦀ab"), Text("ab")], I64(3)),
        example(&[Text("abc"), Text("x")], I64(0)),
        example(&[Text("abc"), Text("")], I64(1)),
        example(&[Text("abc"), NullText], NullI64),
    ],
    kernel: strpos,
}];

fn strpos(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    let (texts, wanted) = (args.text(0)?, args.text(1)?);
    number_rows::<Int64Type>(args.context, args.name, |row| {
        let (Some(text), Some(wanted)) = (texts.get(row), wanted.get(row)) else {
            return Ok(None);
        };
        let before = text.split_once(wanted).map(|(before, _)| characters(before));
        Ok(Some(before.map_or(0, |before| {
            i64::try_from(before).map_or(i64::MAX, |before| before + 1)
        })))
    })
}
