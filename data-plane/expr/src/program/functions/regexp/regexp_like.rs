//! `regexp_like`.

use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{Bool, Fails, Text};
use super::super::reference::{Entry, example};
use super::patterns::{PatternRows, text_and_pattern};
use crate::fault::Fault;
use crate::program::built::boolean_rows;
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
        return boolean_rows(args.context, args.name, |row| {
            Ok(texts.get(row).map(|text| regex.is_match(text)))
        });
    }
    boolean_rows(args.context, args.name, |row| {
        let Some((text, pattern)) = text_and_pattern(&texts, &patterns, row) else {
            return Ok(None);
        };
        Ok(Some(compiled.compiled(pattern)?.is_match(text)))
    })
}
