//! `lower`.

use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{NullText, Text};
use super::super::reference::{Entry, example};
use super::letters::{Case, map_letters};
use crate::fault::Fault;
use crate::program::built::Text as Output;
use crate::program::value::Outcome;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    function: Function::Lower,
    summary: "The text in lower case, by the full mapping of Unicode and no locale.",
    examples: &[
        example(&[Text("ÀB1")], Text("àb1")),
        example(&[Text("İ")], Text("i\u{307}")),
        example(&[Text("ΌΣΟΣ")], Text("όσος")),
        example(&[Text("")], Text("")),
        example(&[NullText], NullText),
    ],
    kernel: lower,
}];

fn lower(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    map_letters(
        args,
        &Case {
            bytes: |bytes, out| out.extend(bytes.iter().map(u8::to_ascii_lowercase)),
            text: str::make_ascii_lowercase,
            full,
        },
    )
}

/// The one letter whose lower case depends on what stands around it.
const SIGMA: char = 'Σ';

fn full(text: &str, out: &mut Output<'_>) -> Result<(), Fault> {
    if text.contains(SIGMA) {
        return out.push_str(&text.to_lowercase());
    }
    text.chars()
        .flat_map(char::to_lowercase)
        .try_for_each(|lower| out.push(lower))
}
