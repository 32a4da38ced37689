//! `contains`.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BooleanArray, BooleanBufferBuilder, StringArray};
use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{Bool, Text};
use super::super::reference::{Entry, example};
use super::occurrences::Occurrences;
use crate::program::operand::Texts;
use crate::program::value::Outcome;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    function: Function::Contains,
    summary: "Whether the second text occurs in the first.",
    examples: &[
        example(&[Text("a€🦀"), Text("€")], Bool(true)),
        example(&[Text("abc"), Text("x")], Bool(false)),
        example(&[Text("a%c"), Text("%")], Bool(true)),
        example(&[Text(""), Text("")], Bool(true)),
    ],
    kernel: contains,
}];

fn contains(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    if let (Texts::Rows(texts), Texts::Constant(Some(wanted))) = (args.text(0)?, args.text(1)?)
        && !wanted.is_empty()
    {
        return Ok(Outcome::rows(Arc::new(contains_one(texts, wanted))));
    }
    let (text, wanted) = (args.value(0)?.datum(), args.value(1)?.datum());
    let found: ArrayRef = Arc::new(arrow::compute::kernels::comparison::contains(
        text.as_ref(),
        wanted.as_ref(),
    )?);
    Ok(Outcome::rows(found))
}

/// The rows in which one text occurs.
fn contains_one(texts: &StringArray, wanted: &str) -> BooleanArray {
    let mut rows = BooleanBufferBuilder::new(texts.len());
    rows.append_n(texts.len(), false);
    let mut occurrences = Occurrences::new(texts, wanted);
    while let Some((row, _)) = occurrences.next() {
        rows.set_bit(row, true);
        occurrences.leave_row();
    }
    BooleanArray::new(rows.finish(), texts.nulls().cloned())
}
