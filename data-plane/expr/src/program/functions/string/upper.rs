//! `upper`.

use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{NullText, Text};
use super::super::reference::{Entry, example};
use crate::program::built::text_rows;
use crate::program::value::Outcome;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    function: Function::Upper,
    summary: "The text in upper case, by the full mapping of Unicode and no locale.",
    examples: &[
        example(&[Text("àb1")], Text("ÀB1")),
        example(&[Text("straße")], Text("STRASSE")),
        example(&[Text("")], Text("")),
        example(&[NullText], NullText),
    ],
    kernel: upper,
}];

fn upper(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    let texts = args.text(0)?;
    text_rows(args.context, args.name, |row, out| {
        let Some(text) = texts.get(row) else {
            return Ok(None);
        };
        if text.is_ascii() {
            out.reserve(text.len())?;
            return out
                .append_with(|column| column.extend(text.chars().map(|c| c.to_ascii_uppercase())))
                .map(Some);
        }
        out.push_str(&text.to_uppercase()).map(Some)
    })
}
