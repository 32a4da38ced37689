//! `regexp_substr`.

use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{Fails, NullText, Text};
use super::super::reference::{Entry, example};
use super::patterns::{PatternRows, text_and_pattern};
use crate::fault::Fault;
use crate::program::built::text_rows;
use crate::program::value::Outcome;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    function: Function::RegexpSubstr,
    summary: "What the pattern matches first in the text, null when it matches nowhere.",
    examples: &[
        example(&[Text("order-42-7"), Text("[0-9]+")], Text("42")),
        example(&[Text("abc"), Text("[0-9]+")], NullText),
        example(&[Text("abc"), Text("")], Text("")),
        example(&[Text("a"), Text("(")], Fails(Fault::Pattern)),
        example(&[NullText, Text("(")], NullText),
    ],
    kernel: regexp_substr,
}];

fn regexp_substr(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    let (texts, patterns) = (args.text(0)?, args.text(1)?);
    let mut compiled = PatternRows::new(args);
    text_rows(args.context, args.name, |row, out| {
        let Some((text, pattern)) = text_and_pattern(&texts, &patterns, row) else {
            return Ok(None);
        };
        match compiled.compiled(pattern)?.find(text) {
            None => Ok(None),
            Some(found) => out.push_str(found.as_str()).map(Some),
        }
    })
}
