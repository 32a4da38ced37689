//! Another case for every letter of a text.

use arrow::error::ArrowError;

use super::super::call::Args;
use crate::program::built::text_rows;
use crate::program::value::Outcome;

/// The first argument with its letters mapped: `ascii` maps one where the text is ASCII, `full` maps any text.
pub(super) fn map_letters(
    args: &Args<'_>,
    ascii: fn(char) -> char,
    full: fn(&str) -> String,
) -> Result<Outcome, ArrowError> {
    let texts = args.text(0)?;
    text_rows(args.context, args.name, |row, out| {
        let Some(text) = texts.get(row) else {
            return Ok(None);
        };
        if text.is_ascii() {
            out.reserve(text.len())?;
            return out
                .append_with(|column| column.extend(text.chars().map(ascii)))
                .map(Some);
        }
        out.push_str(&full(text)).map(Some)
    })
}
