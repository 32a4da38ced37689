//! `replace`.

use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{NullText, Text};
use super::super::reference::{Entry, example};
use crate::program::built::text_rows;
use crate::program::value::Outcome;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    function: Function::Replace,
    summary: "The text with every occurrence of the second text replaced by the third; an empty second text \
              occurs nowhere.",
    examples: &[
        example(&[Text("a-b-c"), Text("-"), Text("€")], Text("a€b€c")),
        example(&[Text("aaa"), Text("aa"), Text("b")], Text("ba")),
        example(&[Text("abc"), Text(""), Text("x")], Text("abc")),
        example(&[Text("abc"), Text("b"), NullText], NullText),
    ],
    kernel: replace,
}];

fn replace(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    let (texts, wanted, others) = (args.text(0)?, args.text(1)?, args.text(2)?);
    text_rows(args.context, args.name, |row, out| {
        let (Some(text), Some(wanted), Some(other)) = (texts.get(row), wanted.get(row), others.get(row))
        else {
            return Ok(None);
        };
        if wanted.is_empty() {
            return out.push_str(text).map(Some);
        }
        for (index, part) in text.split(wanted).enumerate() {
            if index > 0 {
                out.push_str(other)?;
            }
            out.push_str(part)?;
        }
        Ok(Some(()))
    })
}
