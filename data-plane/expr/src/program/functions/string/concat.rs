//! `concat`.

use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{NullText, Text};
use super::super::reference::{Entry, example};
use crate::program::built::text_rows;
use crate::program::operand::Texts;
use crate::program::value::Outcome;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    function: Function::Concat,
    summary: "The texts one after the other; nulls are left out, and the result is never null.",
    examples: &[
        example(&[Text("a"), Text("b"), Text("🦀")], Text("ab🦀")),
        example(&[Text("a"), NullText, Text("c")], Text("ac")),
        example(&[NullText], Text("")),
    ],
    kernel: concat,
}];

fn concat(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    let parts = args.values.iter().map(Texts::of).collect::<Result<Vec<_>, _>>()?;
    text_rows(args.context, args.name, |row, out| {
        for part in parts.iter().filter_map(|part| part.get(row)) {
            out.push_str(part)?;
        }
        Ok(Some(()))
    })
}
