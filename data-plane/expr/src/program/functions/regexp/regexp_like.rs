//! `regexp_like`.

use std::sync::Arc;

use arrow::array::{Array, BooleanArray, StringArray};
use arrow::buffer::BooleanBuffer;
use arrow::error::ArrowError;
use nspl_model::Function;
use regex::Regex;

use super::super::call::Args;
use super::super::reference::Sample::{Bool, Fails, Text};
use super::super::reference::{Entry, example};
use super::patterns::{PatternRows, text_and_pattern};
use crate::fault::Fault;
use crate::program::built::boolean_rows;
use crate::program::context::Context;
use crate::program::operand::Texts;
use crate::program::value::Outcome;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    function: Function::RegexpLike,
    summary: "Whether the pattern matches somewhere in the text.",
    examples: &[
        example(&[Text("order-42"), Text("[0-9]+$")], Bool(true)),
        example(&[Text("a\nb"), Text("a.b")], Bool(false)),
        example(&[Text("🦀"), Text("^.$")], Bool(true)),
        example(&[Text("a"), Text("(")], Fails(Fault::Pattern)),
    ],
    kernel: regexp_like,
}];

fn regexp_like(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    let (texts, patterns) = (args.text(0)?, args.text(1)?);
    let mut compiled = PatternRows::new(args);
    if let Texts::Constant(Some(pattern)) = &patterns
        && let Ok(regex) = compiled.compiled(pattern)
    {
        return match texts {
            Texts::Rows(texts) => Ok(Outcome::rows(Arc::new(matches(texts, regex, args.context)))),
            Texts::Constant(_) => boolean_rows(args.context, args.name, |row| {
                Ok(texts.get(row).map(|text| regex.is_match(text)))
            }),
        };
    }
    boolean_rows(args.context, args.name, |row| {
        let Some((text, pattern)) = text_and_pattern(&texts, &patterns, row) else {
            return Ok(None);
        };
        Ok(Some(compiled.compiled(pattern)?.is_match(text)))
    })
}

/// The rows that match one pattern, a word of them at a time: no row can fail.
fn matches(texts: &StringArray, pattern: &Regex, context: &Context<'_>) -> BooleanArray {
    let matches = |row: usize| {
        let counts = context.selects(row) && texts.is_valid(row);
        counts && pattern.is_match(texts.value(row))
    };
    let found = BooleanBuffer::collect_bool(texts.len(), matches);
    BooleanArray::new(found, texts.nulls().cloned())
}
