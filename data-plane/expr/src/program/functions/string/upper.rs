//! `upper`.

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
    function: Function::Upper,
    summary: "The text in upper case, by the full mapping of Unicode and no locale.",
    examples: &[
        example(&[Text("àb1")], Text("ÀB1")),
        example(&[Text("straße")], Text("STRASSE")),
        example(&[Text("")], Text("")),
        example(&[NullText], NullText),
    ],
    kernel: upper,
}];

fn upper(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    map_letters(
        args,
        &Case {
            bytes: |bytes, out| out.extend(bytes.iter().map(u8::to_ascii_uppercase)),
            text: str::make_ascii_uppercase,
            full,
        },
    )
}

fn full(text: &str, out: &mut Output<'_>) -> Result<(), Fault> {
    text.chars()
        .flat_map(char::to_uppercase)
        .try_for_each(|upper| out.push(upper))
}
