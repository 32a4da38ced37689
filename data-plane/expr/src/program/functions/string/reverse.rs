//! `reverse`.

use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{NullText, Text};
use super::super::reference::{Entry, example};
use crate::program::built::text_rows;
use crate::program::value::Outcome;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    function: Function::Reverse,
    summary: "The characters of the text from the last to the first.",
    examples: &[
        example(&[Text("a€🦀")], Text("🦀€a")),
        example(&[Text("xe\u{301}")], Text("\u{301}ex")),
        example(&[Text("")], Text("")),
        example(&[NullText], NullText),
    ],
    kernel: reverse,
}];

fn reverse(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    let texts = args.text(0)?;
    text_rows(args.context, args.name, |row, out| {
        let Some(text) = texts.get(row) else {
            return Ok(None);
        };
        out.reserve(text.len())?;
        out.append_with(|column| column.extend(text.chars().rev()))
            .map(Some)
    })
}
