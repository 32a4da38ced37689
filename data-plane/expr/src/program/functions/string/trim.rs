//! `trim`, `btrim`, `ltrim`, `rtrim`.

use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{NullText, Text};
use super::super::reference::{Entry, Example, example};
use crate::program::built::text_rows;
use crate::program::value::Outcome;

const BOTH: &str =
    "The text without the blanks (U+0020) at both ends, or without the characters of the second text.";

const BOTH_EXAMPLES: &[Example] = &[
    example(&[Text("  a b ")], Text("a b")),
    example(&[Text("\ta ")], Text("\ta")),
    example(&[Text("xyaxy"), Text("yx")], Text("a")),
    example(&[Text("€a€"), Text("€")], Text("a")),
    example(&[Text("a"), NullText], NullText),
];

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        function: Function::Trim,
        summary: BOTH,
        examples: BOTH_EXAMPLES,
        kernel: both,
    },
    Entry {
        function: Function::Btrim,
        summary: BOTH,
        examples: BOTH_EXAMPLES,
        kernel: both,
    },
    Entry {
        function: Function::Ltrim,
        summary: "Like trim, at the start only.",
        examples: &[
            example(&[Text("  a ")], Text("a ")),
            example(&[Text("xyaxy"), Text("yx")], Text("axy")),
            example(&[NullText], NullText),
        ],
        kernel: left,
    },
    Entry {
        function: Function::Rtrim,
        summary: "Like trim, at the end only.",
        examples: &[
            example(&[Text("  a ")], Text("  a")),
            example(&[Text("xyaxy"), Text("yx")], Text("xya")),
            example(&[NullText], NullText),
        ],
        kernel: right,
    },
];

fn both(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    trim(args, (true, true))
}

fn left(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    trim(args, (true, false))
}

fn right(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    trim(args, (false, true))
}

fn trim(args: &Args<'_>, (start, end): (bool, bool)) -> Result<Outcome, ArrowError> {
    let texts = args.text(0)?;
    let sets = args.text_if_given(1)?;
    text_rows(args.context, args.name, |row, out| {
        let Some(mut text) = texts.get(row) else {
            return Ok(None);
        };
        let set = match &sets {
            None => " ",
            Some(sets) => match sets.get(row) {
                None => return Ok(None),
                Some(set) => set,
            },
        };
        if start {
            text = text.trim_start_matches(|c| set.contains(c));
        }
        if end {
            text = text.trim_end_matches(|c| set.contains(c));
        }
        out.push_str(text).map(Some)
    })
}
