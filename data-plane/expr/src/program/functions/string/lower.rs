//! `lower`.

use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{NullText, Text};
use super::super::reference::{Entry, example};
use super::letters::map_letters;
use crate::program::value::Outcome;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    function: Function::Lower,
    summary: "The text in lower case, by the full mapping of Unicode and no locale.",
    examples: &[
        example(&[Text("ÀB1")], Text("àb1")),
        example(&[Text("İ")], Text("i\u{307}")),
        example(&[Text("")], Text("")),
        example(&[NullText], NullText),
    ],
    kernel: lower,
}];

fn lower(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    map_letters(args, |byte| byte.to_ascii_lowercase(), str::to_lowercase)
}
