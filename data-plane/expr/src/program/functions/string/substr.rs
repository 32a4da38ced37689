//! `substr`, `substring`.

use arrow::datatypes::Int64Type;
use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{Fails, I64, NullI64, NullText, Text};
use super::super::reference::{Entry, Example, example};
use super::slice::{head, tail};
use crate::fault::Fault;
use crate::program::built::text_rows;
use crate::program::operand::Numbers;
use crate::program::value::Outcome;

const SUMMARY: &str = "The part of the text from a position on, of so many characters or to the end. Positions below 1 \
     lie before the text, as in Postgres, and use up the count.";

const EXAMPLES: &[Example] = &[
    example(&[Text("a€🦀d"), I64(2)], Text("€🦀d")),
    example(&[Text("a€🦀d"), I64(2), I64(2)], Text("€🦀")),
    example(&[Text("hello"), I64(-1), I64(4)], Text("he")),
    example(&[Text("hello"), I64(9)], Text("")),
    example(&[Text("hello"), I64(2), I64(i64::MAX)], Text("ello")),
    example(&[Text("hello"), I64(1), I64(-1)], Fails(Fault::NegativeCount)),
    example(&[Text("hello"), NullI64, I64(-1)], NullText),
];

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        function: Function::Substr,
        summary: SUMMARY,
        examples: EXAMPLES,
        kernel: substr,
    },
    Entry {
        function: Function::Substring,
        summary: SUMMARY,
        examples: EXAMPLES,
        kernel: substr,
    },
];

fn substr(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    let (texts, starts) = (args.text(0)?, args.count(1)?);
    let counts = args.values.get(2).map(Numbers::<Int64Type>::of).transpose()?;
    text_rows(args.context, args.name, |row, out| {
        let (Some(text), Some(start)) = (texts.get(row), starts.get(row)) else {
            return Ok(None);
        };
        let skipped = |position: i64| usize::try_from(position.saturating_sub(1)).unwrap_or(0);
        let Some(counts) = &counts else {
            return out.push_str(tail(text, skipped(start))).map(Some);
        };
        let Some(count) = counts.get(row) else {
            return Ok(None);
        };
        if count < 0 {
            return Err(Fault::NegativeCount);
        }
        let end = skipped(start.saturating_add(count));
        let part = tail(head(text, end), skipped(start));
        out.push_str(part).map(Some)
    })
}
