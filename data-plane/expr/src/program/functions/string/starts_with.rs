//! `starts_with`.

use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{Bool, Text};
use super::super::reference::{Entry, example};
use crate::program::value::Outcome;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    function: Function::StartsWith,
    summary: "Whether the first text begins with the second.",
    examples: &[
        example(&[Text("€a"), Text("€")], Bool(true)),
        example(&[Text("abc"), Text("b")], Bool(false)),
        example(&[Text("abc"), Text("")], Bool(true)),
    ],
    kernel: starts_with,
}];

fn starts_with(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    let (text, wanted) = (args.value(0)?.datum(), args.value(1)?.datum());
    let found: ArrayRef = Arc::new(arrow::compute::kernels::comparison::starts_with(
        text.as_ref(),
        wanted.as_ref(),
    )?);
    Ok(Outcome::rows(found))
}
