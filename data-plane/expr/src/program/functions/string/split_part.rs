//! `split_part`.

use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{Fails, I64, NullText, Text};
use super::super::reference::{Entry, example};
use crate::fault::Fault;
use crate::program::built::text_rows;
use crate::program::value::Outcome;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    function: Function::SplitPart,
    summary: "The part of the text at a position, when it is split at every occurrence of the second text; a \
              negative position counts from the end, and past the end is an empty text.",
    examples: &[
        example(&[Text("a,b,c"), Text(","), I64(2)], Text("b")),
        example(&[Text("a,b,c"), Text(","), I64(-1)], Text("c")),
        example(&[Text("a,b,c"), Text(","), I64(9)], Text("")),
        example(&[Text("a,b,c"), Text(""), I64(1)], Text("a,b,c")),
        example(&[Text("a,b,c"), Text(","), I64(i64::MIN)], Text("")),
        example(&[Text("a,b,c"), Text(","), I64(0)], Fails(Fault::ZeroIndex)),
        example(&[NullText, Text(","), I64(0)], NullText),
    ],
    kernel: split_part,
}];

fn split_part(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    let (texts, marks, positions) = (args.text(0)?, args.text(1)?, args.count(2)?);
    text_rows(args.context, args.name, |row, out| {
        let (Some(text), Some(mark), Some(position)) = (texts.get(row), marks.get(row), positions.get(row))
        else {
            return Ok(None);
        };
        if position == 0 {
            return Err(Fault::ZeroIndex);
        }
        let index = usize::try_from(position.unsigned_abs() - 1).unwrap_or(usize::MAX);
        let part = if mark.is_empty() {
            (index == 0).then_some(text)
        } else if position > 0 {
            text.split(mark).nth(index)
        } else {
            // Parts are those of splitting from the start, also where marks overlap.
            let parts = text.split(mark).count();
            parts
                .checked_sub(index.saturating_add(1))
                .and_then(|index| text.split(mark).nth(index))
        };
        out.push_str(part.unwrap_or_default()).map(Some)
    })
}
