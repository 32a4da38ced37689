//! `translate`.

use std::collections::HashMap;

use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{NullText, Text};
use super::super::reference::{Entry, example};
use crate::program::built::text_rows;
use crate::program::value::Outcome;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    function: Function::Translate,
    summary: "The text with each character of the second text replaced by the one at the same position of the \
              third, or left out when the third is shorter.",
    examples: &[
        example(&[Text("12345"), Text("143"), Text("ax")], Text("a2x5")),
        example(&[Text("a€a"), Text("€"), Text("🦀")], Text("a🦀a")),
        example(&[Text("abc"), Text("aa"), Text("xy")], Text("xbc")),
        example(&[Text("abc"), Text(""), Text("x")], Text("abc")),
        example(&[Text("abc"), NullText, Text("x")], NullText),
    ],
    kernel: translate,
}];

fn translate(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    let (texts, from, to) = (args.text(0)?, args.text(1)?, args.text(2)?);
    let mut known: Option<(&str, &str, Table)> = None;
    text_rows(args.context, args.name, |row, out| {
        let (Some(text), Some(from), Some(to)) = (texts.get(row), from.get(row), to.get(row)) else {
            return Ok(None);
        };
        // Almost always the same two texts in every row.
        let table = match known.take() {
            Some(same) if same.0 == from && same.1 == to => known.insert(same),
            _ => known.insert((from, to, table(from, to))),
        };
        for character in text.chars() {
            match table.2.get(&character) {
                None => out.push(character)?,
                Some(None) => {}
                Some(Some(other)) => out.push(*other)?,
            }
        }
        Ok(Some(()))
    })
}

type Table = HashMap<char, Option<char>>;

fn table(from: &str, to: &str) -> Table {
    let mut others = to.chars();
    let mut table = Table::new();
    for character in from.chars() {
        let other = others.next();
        table.entry(character).or_insert(other);
    }
    table
}
