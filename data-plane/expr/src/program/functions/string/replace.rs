//! `replace`.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, StringArray};
use arrow::buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{NullText, Text};
use super::super::reference::{Entry, example};
use super::letters::used_range;
use super::occurrences::Occurrences;
use crate::program::built::{TEXT_BYTES_MAX, text_rows};
use crate::program::operand::Texts;
use crate::program::value::Outcome;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    function: Function::Replace,
    summary: "The text with every occurrence of the second text replaced by the third; an empty second text \
              occurs nowhere.",
    examples: &[
        example(&[Text("a-b-c"), Text("-"), Text("€")], Text("a€b€c")),
        example(&[Text("aaa"), Text("aa"), Text("b")], Text("ba")),
        example(&[Text("abc"), Text(""), Text("x")], Text("abc")),
        example(&[Text("abc"), Text("b"), NullText], NullText),
    ],
    kernel: replace,
}];

fn replace(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    let (texts, wanted, others) = (args.text(0)?, args.text(1)?, args.text(2)?);
    if let (Texts::Rows(texts), Texts::Constant(Some(wanted)), Texts::Constant(Some(other))) =
        (&texts, &wanted, &others)
        && !wanted.is_empty()
        && let Some(column) = replace_one(texts, wanted, other)?
    {
        return Ok(Outcome::rows(column));
    }
    text_rows(args.context, args.name, |row, out| {
        let (Some(text), Some(wanted), Some(other)) = (texts.get(row), wanted.get(row), others.get(row))
        else {
            return Ok(None);
        };
        if wanted.is_empty() {
            return out.push_str(text).map(Some);
        }
        for (index, part) in text.split(wanted).enumerate() {
            if index > 0 {
                out.push_str(other)?;
            }
            out.push_str(part)?;
        }
        Ok(Some(()))
    })
}

/// One text, which is not empty, replaced by one other in a whole column. `None` when a result may be past the bound of a
/// text.
fn replace_one(texts: &StringArray, wanted: &str, other: &str) -> Result<Option<ArrayRef>, ArrowError> {
    let range = used_range(texts);
    let added_max = (range.len() / wanted.len()).saturating_mul(other.len());
    if range.len().saturating_add(added_max) > TEXT_BYTES_MAX {
        return Ok(None);
    }
    let mut column = Replaced {
        source: texts.value_data(),
        source_ends: texts.value_offsets().get(1..).unwrap_or_default(),
        rows: 0,
        copied: range.start,
        bytes: Vec::with_capacity(range.len()),
        ends: Vec::with_capacity(texts.len() + 1),
    };
    column.ends.push(0);
    for (row, at) in Occurrences::new(texts, wanted) {
        column.copy(row, at);
        column.bytes.extend_from_slice(other.as_bytes());
        column.copied += wanted.len();
    }
    column.copy(texts.len(), range.end);
    let ends = OffsetBuffer::new(ScalarBuffer::from(column.ends));
    let column = StringArray::try_new(ends, Buffer::from_vec(column.bytes), texts.nulls().cloned())?;
    Ok(Some(Arc::new(column)))
}

/// A column under construction from one that has more rows and bytes than were copied so far.
struct Replaced<'a> {
    source: &'a [u8],
    source_ends: &'a [i32],
    /// How many rows have their end.
    rows: usize,
    /// How far the source is copied or replaced.
    copied: usize,
    bytes: Vec<u8>,
    ends: Vec<i32>,
}

impl Replaced<'_> {
    /// Copies what stands before this place of this row in one piece, with the ends of the rows that end in it.
    fn copy(&mut self, row: usize, at: usize) {
        let moved = self.bytes.len() as i32 - self.copied as i32;
        let ends = self.source_ends.get(self.rows..row).unwrap_or_default();
        self.ends.extend(ends.iter().map(|end| end + moved));
        let piece = self.source.get(self.copied..at).unwrap_or_default();
        self.bytes.extend_from_slice(piece);
        (self.rows, self.copied) = (row, at);
    }
}
