//! What rows weigh.
//!
//! *Logical* bytes are the values, offsets and validity of the slice (companion section 11): they do not
//! change with what the slice was cut from. *Held* bytes are the allocations that stay alive because of it,
//! each counted once however many columns share it.

use std::collections::HashSet;

use arrow::array::{Array, ArrayData, ArrayRef, RecordBatch};
use arrow::datatypes::DataType as ArrowType;

#[cfg(test)]
mod tests;

/// Bytes of the batch's values, offsets and validity, of exactly its rows.
pub fn logical_bytes(batch: &RecordBatch) -> u64 {
    batch.columns().iter().map(logical_array_bytes).sum()
}

/// Bytes of the array's values, offsets and validity, of exactly its rows.
pub fn logical_array_bytes(array: &ArrayRef) -> u64 {
    logical_data_bytes(&array.to_data())
}

/// Bytes of the allocations that the batch keeps alive, each counted once.
pub fn held_bytes(batch: &RecordBatch) -> u64 {
    held_bytes_together([batch])
}

/// Bytes of the allocations that the batches together keep alive, each counted once.
pub fn held_bytes_together<'a>(batches: impl IntoIterator<Item = &'a RecordBatch>) -> u64 {
    let mut seen = HashSet::new();
    let mut total = 0;
    for batch in batches {
        for column in batch.columns() {
            total += held_data_bytes(&column.to_data(), &mut seen);
        }
    }
    total
}

/// What gathering these elements comes to, in logical bytes. Elements of a fixed width (dictionary keys among
/// them) count as nothing, since gathering them cannot make much of little.
pub(crate) fn gathered_bytes(values: &ArrayRef, indices: impl Iterator<Item = u64>) -> u64 {
    if !matches!(values.data_type(), ArrowType::Utf8 | ArrowType::Binary) && !values.data_type().is_nested() {
        return 0;
    }
    let sizes: Vec<u64> = (0..values.len())
        .map(|row| logical_array_bytes(&values.slice(row, 1)))
        .collect();
    let size_of = |index: u64| {
        usize::try_from(index)
            .ok()
            .and_then(|index| sizes.get(index))
            .copied()
    };
    indices.filter_map(size_of).fold(0, u64::saturating_add)
}

/// What gathering the elements of these spans (first, past the last) comes to, in bytes; spans may overlap. The work
/// is one step an element of `values` and one a span, however long the spans are.
pub(crate) fn spans_bytes(values: &ArrayRef, spans: impl Iterator<Item = (usize, usize)>) -> u64 {
    if let Some(width) = gathered_width(values.data_type()) {
        let count = spans.map(|(first, last)| last.saturating_sub(first) as u64);
        return count.fold(0, u64::saturating_add).saturating_mul(width);
    }
    let mut before: Vec<u64> = Vec::with_capacity(values.len() + 1);
    let mut total: u64 = 0;
    before.push(total);
    for row in 0..values.len() {
        total = total.saturating_add(logical_array_bytes(&values.slice(row, 1)));
        before.push(total);
    }
    let until = |index: usize| before.get(index).copied().unwrap_or(total);
    spans
        .map(|(first, last)| until(last).saturating_sub(until(first)))
        .fold(0, u64::saturating_add)
}

/// Bytes of each element after a gather, where all take the same; a truth value counts as a byte. Views and
/// dictionaries go on to share what they name.
fn gathered_width(data_type: &ArrowType) -> Option<u64> {
    match data_type {
        ArrowType::Boolean => Some(1),
        ArrowType::Dictionary(key, _) => gathered_width(key),
        ArrowType::ListView(_) => Some(8),
        ArrowType::Utf8View | ArrowType::BinaryView | ArrowType::LargeListView(_) => Some(16),
        other => other.primitive_width().map(|width| width as u64),
    }
}

fn logical_data_bytes(data: &ArrayData) -> u64 {
    let rows = data.len();
    let validity = if data.null_count() > 0 { bits(rows) } else { 0 };
    validity
        + match data.data_type() {
            ArrowType::Null => 0,
            ArrowType::Boolean => bits(rows),
            ArrowType::Utf8 | ArrowType::Binary => {
                let (first, last) = offset_range(data);
                offsets_bytes(rows) + (last - first)
            }
            ArrowType::List(_) => {
                let (first, last) = offset_range(data);
                offsets_bytes(rows) + child_bytes(data, first, last - first)
            }
            ArrowType::FixedSizeList(_, size) => {
                let size = u64::try_from(*size).unwrap_or(0);
                child_bytes(data, data.offset() as u64 * size, rows as u64 * size)
            }
            other => match other.primitive_width() {
                Some(width) => rows as u64 * width as u64,
                // Forms that only a writer's own batch has: the size Arrow gives for the slice.
                None => data
                    .get_slice_memory_size()
                    .unwrap_or_else(|_| data.get_buffer_memory_size()) as u64,
            },
        }
}

fn child_bytes(data: &ArrayData, first: u64, count: u64) -> u64 {
    let Some(child) = data.child_data().first() else {
        return 0;
    };
    logical_data_bytes(&child.slice(first as usize, count as usize))
}

/// The first and the last offset of the slice; (0, 0) when it has no rows.
fn offset_range(data: &ArrayData) -> (u64, u64) {
    if data.is_empty() {
        return (0, 0);
    }
    let offsets = data
        .buffers()
        .first()
        .map(|buffer| buffer.typed_data::<i32>())
        .unwrap_or_default();
    let at = |index: usize| {
        offsets
            .get(index)
            .and_then(|offset| u64::try_from(*offset).ok())
            .unwrap_or(0)
    };
    let first = at(data.offset());
    (first, at(data.offset() + data.len()).max(first))
}

fn offsets_bytes(rows: usize) -> u64 {
    (rows as u64 + 1) * 4
}

fn bits(rows: usize) -> u64 {
    rows.div_ceil(8) as u64
}

fn held_data_bytes(data: &ArrayData, seen: &mut HashSet<usize>) -> u64 {
    let validity = data.nulls().map(|nulls| nulls.buffer());
    let mut total = 0;
    for buffer in data.buffers().iter().chain(validity) {
        if seen.insert(buffer.data_ptr().as_ptr() as usize) {
            total += buffer.capacity() as u64;
        }
    }
    total
        + data
            .child_data()
            .iter()
            .map(|child| held_data_bytes(child, seen))
            .sum::<u64>()
}
