//! Lists of every form, read into the exact one.
//!
//! Items are non-null: a null item, or one that does not convert, makes its list unfit, and with it the row.
//! What stands beneath a null list does not count.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, FixedSizeListArray, GenericListArray, GenericListViewArray, ListArray,
    OffsetSizeTrait, UInt64Array,
};
use arrow::buffer::{BooleanBuffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow::compute::take;
use arrow::datatypes::{DataType as ArrowType, FieldRef};

use super::ConversionError;
use super::reading::{Allowance, Read, Reading, other_type};
use crate::nulls::{null_mask, strip, strip_beneath};
use crate::size::spans_bytes;

/// The forms of a list of varying length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListForm {
    /// 32-bit offsets.
    List,
    /// 64-bit offsets.
    Large,
    /// 32-bit offsets and sizes.
    View,
    /// 64-bit offsets and sizes.
    LargeView,
}

impl ListForm {
    /// The form of a list type and the field of its items.
    pub(super) fn of(data_type: &ArrowType) -> Option<(Self, &FieldRef)> {
        match data_type {
            ArrowType::List(field) => Some((Self::List, field)),
            ArrowType::LargeList(field) => Some((Self::Large, field)),
            ArrowType::ListView(field) => Some((Self::View, field)),
            ArrowType::LargeListView(field) => Some((Self::LargeView, field)),
            _ => None,
        }
    }
}

/// Lists as offsets into just the values they use.
struct Spans {
    offsets: OffsetBuffer<i32>,
    values: ArrayRef,
    nulls: Option<NullBuffer>,
}

/// Reads a list of any form into a List of 32-bit offsets.
pub(super) fn read_list(
    array: &ArrayRef,
    form: ListForm,
    items: &Reading,
    target: &ArrowType,
    allowance: &mut Allowance,
) -> Result<Read, ConversionError> {
    let ArrowType::List(field) = target else {
        return Err(other_type());
    };
    let spans = match form {
        ListForm::List => same_spans(array.as_list_opt::<i32>().ok_or_else(other_type)?)?,
        ListForm::Large => narrow_spans(array.as_list_opt::<i64>().ok_or_else(other_type)?, allowance)?,
        ListForm::View => view_spans(array.as_list_view_opt::<i32>().ok_or_else(other_type)?, allowance)?,
        ListForm::LargeView => {
            view_spans(array.as_list_view_opt::<i64>().ok_or_else(other_type)?, allowance)?
        }
    };
    let read = items.read(&spans.values, field.data_type(), allowance)?;
    let unfit = bad_items(&read).map(|bad| {
        spans_with_bad(spans.offsets.len() - 1, &spans.nulls, &bad, |row| {
            (spans.offsets[row] as usize, spans.offsets[row + 1] as usize)
        })
    });
    let values = strip(read.array)?;
    let list = ListArray::try_new(field.clone(), spans.offsets, values, spans.nulls)?;
    Ok(Read {
        array: Arc::new(list),
        unfit,
    })
}

/// Reads a list of fixed size into the exact field name and items.
pub(super) fn read_fixed_size_list(
    array: &ArrayRef,
    items: &Reading,
    target: &ArrowType,
    allowance: &mut Allowance,
) -> Result<Read, ConversionError> {
    let ArrowType::FixedSizeList(field, size) = target else {
        return Err(other_type());
    };
    let list = array.as_fixed_size_list_opt().ok_or_else(other_type)?;
    let width = usize::try_from(*size).map_err(|_| other_type())?;
    let read = items.read(list.values(), field.data_type(), allowance)?;
    let nulls = list.nulls().cloned();
    let unfit = bad_items(&read)
        .map(|bad| spans_with_bad(list.len(), &nulls, &bad, |row| (row * width, (row + 1) * width)));
    let values = strip(read.array)?;
    let list = FixedSizeListArray::try_new_with_length(field.clone(), *size, values, nulls, list.len())?;
    Ok(Read {
        array: Arc::new(list),
        unfit,
    })
}

fn bad_items(read: &Read) -> Option<BooleanBuffer> {
    match (null_mask(read.array.as_ref()), &read.unfit) {
        (None, None) => None,
        (Some(nulls), None) => Some(nulls),
        (None, Some(unfit)) => Some(unfit.clone()),
        (Some(nulls), Some(unfit)) => Some(&nulls | unfit),
    }
}

fn spans_with_bad(
    rows: usize,
    nulls: &Option<NullBuffer>,
    bad: &BooleanBuffer,
    span: impl Fn(usize) -> (usize, usize),
) -> BooleanBuffer {
    BooleanBuffer::collect_bool(rows, |row| {
        if nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            return false;
        }
        let (first, last) = span(row);
        first < last && bad.slice(first, last - first).count_set_bits() > 0
    })
}

fn same_spans(list: &ListArray) -> Result<Spans, ConversionError> {
    let first = list.value_offsets().first().copied().unwrap_or(0);
    let last = list.value_offsets().last().copied().unwrap_or(0);
    let nulls = list.nulls().cloned();
    if first == 0 && last as usize == list.values().len() {
        return Ok(Spans {
            offsets: list.offsets().clone(),
            values: list.values().clone(),
            nulls,
        });
    }
    let offsets = if first == 0 {
        list.offsets().clone()
    } else {
        let moved: Vec<i32> = list.value_offsets().iter().map(|offset| offset - first).collect();
        OffsetBuffer::new(ScalarBuffer::from(moved))
    };
    let values = list.values().slice(first as usize, (last - first) as usize);
    Ok(Spans {
        offsets,
        values,
        nulls,
    })
}

fn narrow_spans(list: &GenericListArray<i64>, allowance: &mut Allowance) -> Result<Spans, ConversionError> {
    let first = list.value_offsets().first().copied().unwrap_or(0);
    let last = list.value_offsets().last().copied().unwrap_or(0);
    let count = last - first;
    if i32::try_from(count).is_err() {
        allowance.spend(u64::MAX)?;
    }
    // Monotonic offsets up to `count` fit, since `count` does.
    let narrow: Vec<i32> = list
        .value_offsets()
        .iter()
        .map(|offset| (offset - first) as i32)
        .collect();
    Ok(Spans {
        offsets: OffsetBuffer::new(ScalarBuffer::from(narrow)),
        values: list.values().slice(first as usize, count as usize),
        nulls: list.nulls().cloned(),
    })
}

/// A list view may name its values in any order and more than once, so they are gathered. What that takes, the
/// indices included, is spent before anything is.
fn view_spans<O: OffsetSizeTrait>(
    list: &GenericListViewArray<O>,
    allowance: &mut Allowance,
) -> Result<Spans, ConversionError> {
    let size = |row: usize| {
        if list.is_null(row) {
            0
        } else {
            list.value_size(row).as_usize()
        }
    };
    let span = |row: usize| {
        let first = list.value_offset(row).as_usize();
        (first, first.saturating_add(size(row)))
    };
    let rows = list.len();
    let count = (0..rows).map(size).fold(0, usize::saturating_add);
    if i32::try_from(count).is_err() {
        allowance.spend(u64::MAX)?;
    }
    let indices = (count as u64).saturating_mul(size_of::<u64>() as u64);
    let offsets = (rows as u64 + 1).saturating_mul(size_of::<i32>() as u64);
    allowance.spend(indices.saturating_add(offsets))?;
    allowance.spend(spans_bytes(list.values(), (0..rows).map(span)))?;
    let mut indices: Vec<u64> = Vec::with_capacity(count);
    let mut offsets: Vec<i32> = Vec::with_capacity(rows + 1);
    offsets.push(0);
    for row in 0..rows {
        let (first, last) = span(row);
        indices.extend((first..last).map(|index| index as u64));
        offsets.push(i32::try_from(indices.len()).map_err(|_| other_type())?);
    }
    let values = strip_beneath(take(list.values().as_ref(), &UInt64Array::from(indices), None)?);
    Ok(Spans {
        offsets: OffsetBuffer::new(ScalarBuffer::from(offsets)),
        values,
        nulls: list.nulls().cloned(),
    })
}
