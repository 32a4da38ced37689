//! `initcap`.

use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{NullText, Text};
use super::super::reference::{Entry, example};
use crate::program::built::text_rows;
use crate::program::value::Outcome;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    function: Function::Initcap,
    summary: "The first character of each run of letters and digits in upper case, the rest of it in lower.",
    examples: &[
        example(&[Text("hELLO wORLD-1a")], Text("Hello World-1a")),
        example(&[Text("élan vital")], Text("Élan Vital")),
        example(&[NullText], NullText),
    ],
    kernel: initcap,
}];

fn initcap(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    let texts = args.text(0)?;
    text_rows(args.context, args.name, |row, out| {
        let Some(text) = texts.get(row) else {
            return Ok(None);
        };
        let mut within = false;
        for character in text.chars() {
            let part = character.is_alphanumeric();
            if !part {
                out.push(character)?;
            } else if within {
                for lower in character.to_lowercase() {
                    out.push(lower)?;
                }
            } else {
                for upper in character.to_uppercase() {
                    out.push(upper)?;
                }
            }
            within = part;
        }
        Ok(Some(()))
    })
}
