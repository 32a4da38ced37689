//! Another case for every letter of a text.
//!
//! Where a whole column is ASCII no text changes its length, so its bytes are mapped at once and the offsets stay.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, StringArray};
use arrow::buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use arrow::error::ArrowError;

use super::super::call::Args;
use crate::fault::Fault;
use crate::program::built::{TEXT_BYTES_MAX, Text, text_rows};
use crate::program::value::{Outcome, Value, wrong_type};

/// Bytes that are looked at and mapped while they are near.
const BLOCK_BYTES: usize = 4096;

/// A case. The two mappings of ASCII are loops that map many letters at a time.
pub(super) struct Case {
    /// Appends bytes of ASCII mapped.
    pub(super) bytes: fn(&[u8], &mut Vec<u8>),
    /// Maps a text that is ASCII.
    pub(super) text: fn(&mut str),
    /// Appends any text mapped.
    pub(super) full: fn(&str, &mut Text<'_>) -> Result<(), Fault>,
}

/// The first argument with its letters in this case.
pub(super) fn map_letters(args: &Args<'_>, case: &Case) -> Result<Outcome, ArrowError> {
    if let Value::Rows(array) = args.value(0)? {
        let texts = array.as_string_opt::<i32>().ok_or_else(wrong_type)?;
        if let Some(column) = map_column(texts, case.bytes)? {
            return Ok(Outcome::rows(column));
        }
    }
    let texts = args.text(0)?;
    text_rows(args.context, args.name, |row, out| {
        let Some(text) = texts.get(row) else {
            return Ok(None);
        };
        if text.is_ascii() {
            return out.push_mapped(text, case.text).map(Some);
        }
        (case.full)(text, out).map(Some)
    })
}

/// `None` when some text is not ASCII, or may be past the bound of a text.
fn map_column(texts: &StringArray, map: fn(&[u8], &mut Vec<u8>)) -> Result<Option<ArrayRef>, ArrowError> {
    let offsets = texts.value_offsets();
    let start = offsets.first().copied().unwrap_or(0);
    let bytes = used_bytes(texts);
    if bytes.len() > TEXT_BYTES_MAX {
        return Ok(None);
    }
    let mut mapped = Vec::with_capacity(bytes.len());
    for block in bytes.chunks(BLOCK_BYTES) {
        if !block.is_ascii() {
            return Ok(None);
        }
        map(block, &mut mapped);
    }
    let offsets = if start == 0 {
        texts.offsets().clone()
    } else {
        let rebased: Vec<i32> = offsets.iter().map(|offset| offset - start).collect();
        OffsetBuffer::new(ScalarBuffer::from(rebased))
    };
    let column = StringArray::try_new(offsets, Buffer::from_vec(mapped), texts.nulls().cloned())?;
    Ok(Some(Arc::new(column)))
}

/// The bytes of all texts of the column, one after the other, those beneath nulls included.
pub(super) fn used_bytes(texts: &StringArray) -> &[u8] {
    texts.values().get(used_range(texts)).unwrap_or_default()
}

/// Where they stand among all bytes that the column holds.
pub(super) fn used_range(texts: &StringArray) -> Range<usize> {
    let offsets = texts.value_offsets();
    let [start, end] =
        [offsets.first(), offsets.last()].map(|offset| offset.map_or(0, |offset| *offset as usize));
    start..end
}
