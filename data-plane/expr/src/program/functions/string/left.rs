//! `left`.

use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{Fails, I64, NullI64, NullText, Text};
use super::super::reference::{Entry, example};
use super::slice::head;
use crate::fault::Fault;
use crate::program::built::text_rows;
use crate::program::value::Outcome;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    function: Function::Left,
    summary: "The first characters of the text, as many as the count says.",
    examples: &[
        example(&[Text("a€🦀d"), I64(3)], Text("a€🦀")),
        example(&[Text("e\u{301}x"), I64(1)], Text("e")),
        example(&[Text("ab"), I64(9)], Text("ab")),
        example(&[Text("ab"), I64(-1)], Fails(Fault::NegativeCount)),
        example(&[NullText, I64(-1)], NullText),
        example(&[Text("ab"), NullI64], NullText),
    ],
    kernel: left,
}];

fn left(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    let (texts, counts) = (args.text(0)?, args.count(1)?);
    text_rows(args.context, args.name, |row, out| {
        let (Some(text), Some(count)) = (texts.get(row), counts.get(row)) else {
            return Ok(None);
        };
        let count = u64::try_from(count).map_err(|_| Fault::NegativeCount)?;
        out.push_str(head(text, usize::try_from(count).unwrap_or(usize::MAX)))
            .map(Some)
    })
}
