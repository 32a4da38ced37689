//! `lpad`, `rpad`.

use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{Fails, I64, NullText, Text};
use super::super::reference::{Entry, example};
use super::slice::{GROWN_BYTES_MAX, characters, head};
use crate::fault::Fault;
use crate::program::built::{Text as Output, text_rows};
use crate::program::value::Outcome;

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        function: Function::Lpad,
        summary: "The text filled at the start to so many characters, with blanks or with the third text over \
                  and over; a longer text is cut at its end. A result over 1 MiB is an error of the record.",
        examples: &[
            example(&[Text("7"), I64(3), Text("0")], Text("007")),
            example(&[Text("ab"), I64(4)], Text("  ab")),
            example(&[Text("€"), I64(4), Text("🦀x")], Text("🦀x🦀€")),
            example(&[Text("abcd"), I64(2)], Text("ab")),
            example(&[Text("ab"), I64(5), Text("")], Text("ab")),
            example(&[Text("ab"), I64(-1)], Fails(Fault::NegativeCount)),
            example(&[Text("ab"), I64(i64::MAX)], Fails(Fault::TooLong)),
            example(&[NullText, I64(-1)], NullText),
        ],
        kernel: lpad,
    },
    Entry {
        function: Function::Rpad,
        summary: "Like lpad, filled at the end.",
        examples: &[
            example(&[Text("7"), I64(3), Text("0")], Text("700")),
            example(&[Text("ab"), I64(4)], Text("ab  ")),
            example(&[Text("abcd"), I64(2)], Text("ab")),
            example(&[Text("ab"), I64(-1)], Fails(Fault::NegativeCount)),
            example(&[Text("ab"), I64(i64::MAX)], Fails(Fault::TooLong)),
            example(&[NullText, I64(1)], NullText),
        ],
        kernel: rpad,
    },
];

fn lpad(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    pad(args, true)
}

fn rpad(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    pad(args, false)
}

fn pad(args: &Args<'_>, at_start: bool) -> Result<Outcome, ArrowError> {
    let (texts, counts) = (args.text(0)?, args.count(1)?);
    let fills = args.text_if_given(2)?;
    text_rows(args.context, args.name, |row, out| {
        let (Some(text), Some(count)) = (texts.get(row), counts.get(row)) else {
            return Ok(None);
        };
        let fill = match &fills {
            None => " ",
            Some(fills) => match fills.get(row) {
                None => return Ok(None),
                Some(fill) => fill,
            },
        };
        let count = usize::try_from(count).map_err(|_| Fault::NegativeCount)?;
        let text = head(text, count);
        let missing = if fill.is_empty() {
            0
        } else {
            count - characters(text).min(count)
        };
        let fill_bytes = filled_bytes(fill, missing);
        if text.len().saturating_add(fill_bytes) > GROWN_BYTES_MAX {
            return Err(Fault::TooLong);
        }
        if at_start {
            append_fill(out, fill, missing)?;
        }
        out.push_str(text)?;
        if !at_start {
            append_fill(out, fill, missing)?;
        }
        Ok(Some(()))
    })
}

/// Bytes of so many characters of a fill that is repeated.
fn filled_bytes(fill: &str, missing: usize) -> usize {
    let whole = characters(fill).max(1);
    (missing / whole)
        .saturating_mul(fill.len())
        .saturating_add(head(fill, missing % whole).len())
}

fn append_fill(out: &mut Output<'_>, fill: &str, missing: usize) -> Result<(), Fault> {
    let whole = characters(fill).max(1);
    for _ in 0..missing / whole {
        out.push_str(fill)?;
    }
    out.push_str(head(fill, missing % whole))
}
