//! `contains`.

use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{Bool, Text};
use super::super::reference::{Entry, example};
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
    let (text, wanted) = (args.value(0)?.datum(), args.value(1)?.datum());
    let found: ArrayRef = Arc::new(arrow::compute::kernels::comparison::contains(
        text.as_ref(),
        wanted.as_ref(),
    )?);
    Ok(Outcome::rows(found))
}
