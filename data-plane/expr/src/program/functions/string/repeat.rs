//! `repeat`.

use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{Fails, I64, NullText, Text};
use super::super::reference::{Entry, example};
use super::slice::GROWN_BYTES_MAX;
use crate::fault::Fault;
use crate::program::built::text_rows;
use crate::program::value::Outcome;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    function: Function::Repeat,
    summary: "The text so many times; a result over 1 MiB is an error of the record.",
    examples: &[
        example(&[Text("ab"), I64(3)], Text("ababab")),
        example(&[Text("ab"), I64(0)], Text("")),
        example(&[Text(""), I64(i64::MAX)], Text("")),
        example(&[Text("ab"), I64(-1)], Fails(Fault::NegativeCount)),
        example(&[Text("ab"), I64(600_000)], Fails(Fault::TooLong)),
        example(&[NullText, I64(-1)], NullText),
    ],
    kernel: repeat,
}];

fn repeat(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    let (texts, counts) = (args.text(0)?, args.count(1)?);
    text_rows(args.context, args.name, |row, out| {
        let (Some(text), Some(count)) = (texts.get(row), counts.get(row)) else {
            return Ok(None);
        };
        let count = usize::try_from(count).map_err(|_| Fault::NegativeCount)?;
        if text.is_empty() {
            return Ok(Some(()));
        }
        if text.len().saturating_mul(count) > GROWN_BYTES_MAX {
            return Err(Fault::TooLong);
        }
        for _ in 0..count {
            out.push_str(text)?;
        }
        Ok(Some(()))
    })
}
