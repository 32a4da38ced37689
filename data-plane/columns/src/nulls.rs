//! Nulls: arrays that are all null, and values taken away from single rows.
//!
//! Invariant: beneath a null the child of a list is filled with harmless values, never with nulls, since the
//! children of lists are non-null on the wire.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, FixedSizeListArray, ListArray, make_array, new_null_array,
};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::datatypes::DataType as ArrowType;
use arrow::error::ArrowError;

#[cfg(test)]
mod tests;

/// An array of `rows` nulls.
pub fn null_array(data_type: &ArrowType, rows: usize) -> ArrayRef {
    strip_beneath(new_null_array(data_type, rows))
}

/// What null columns of one batch may allocate together.
///
/// A null of an ARRAY takes as much as a value, so few rows of a wide one are past any memory.
#[derive(Debug)]
pub struct NullColumns {
    left: u64,
}

impl NullColumns {
    /// An allowance of `bytes_max` bytes; [`crate::CONVERTED_BYTES_MAX`] is what a writer's batch may unfold to.
    pub fn within(bytes_max: u64) -> Self {
        Self { left: bytes_max }
    }

    /// A column of `rows` nulls.
    ///
    /// # Errors
    /// [`ArrowError::MemoryError`] when it takes more than what is left; nothing is allocated then.
    pub fn column(&mut self, data_type: &ArrowType, rows: usize) -> Result<ArrayRef, ArrowError> {
        let left = self.left.checked_sub(null_bytes(data_type, rows));
        self.left = left.ok_or_else(|| {
            ArrowError::MemoryError(format!(
                "the fields that are not set take too much memory in {rows} rows; write smaller batches"
            ))
        })?;
        Ok(null_array(data_type, rows))
    }
}

/// What [`null_array`] allocates for `rows` nulls, in bytes; [`u64::MAX`] when that is past counting.
pub(crate) fn null_bytes(data_type: &ArrowType, rows: usize) -> u64 {
    count_null_bytes(data_type, rows as u64)
}

fn count_null_bytes(data_type: &ArrowType, rows: u64) -> u64 {
    let bits = rows.div_ceil(8);
    let values = match data_type {
        ArrowType::Null => 0,
        ArrowType::Boolean => bits,
        ArrowType::FixedSizeList(item, size) => {
            let children = rows.saturating_mul(u64::try_from(*size).unwrap_or(0));
            count_null_bytes(item.data_type(), children)
        }
        other => {
            // Lists, text and bytes have offsets alone: beneath a null they are empty.
            let width = other.primitive_width().unwrap_or(size_of::<i32>());
            rows.saturating_add(1).saturating_mul(width as u64)
        }
    };
    values.saturating_add(bits)
}

/// The array with null in the rows that `mask` names; the values themselves are shared, not copied.
///
/// # Errors
/// When the mask is not as long as the array.
pub fn nullify(array: &ArrayRef, mask: &BooleanBuffer) -> Result<ArrayRef, ArrowError> {
    if mask.len() != array.len() {
        return Err(ArrowError::InvalidArgumentError(
            "a mask must be as long as its array".into(),
        ));
    }
    let masked = NullBuffer::new(!mask);
    let nulls = NullBuffer::union(array.nulls(), Some(&masked));
    // Bits are the one form whose slices keep an offset, which the builder would apply to the nulls too.
    if let Some(booleans) = array.as_boolean_opt() {
        return Ok(Arc::new(BooleanArray::new(booleans.values().clone(), nulls)));
    }
    Ok(make_array(array.to_data().into_builder().nulls(nulls).build()?))
}

/// The rows that are null, as a mask; `None` when there are none.
pub(crate) fn null_mask(array: &dyn Array) -> Option<BooleanBuffer> {
    array
        .nulls()
        .filter(|nulls| nulls.null_count() > 0)
        .map(|nulls| !nulls.inner())
}

/// The array without its own null mask; what stood beneath the nulls shows.
pub(crate) fn strip(array: ArrayRef) -> Result<ArrayRef, ArrowError> {
    if array.nulls().is_none() {
        return Ok(array);
    }
    Ok(make_array(array.to_data().into_builder().nulls(None).build()?))
}

/// Takes the nulls out of the children of lists, at every depth. They can only stand beneath a null.
pub(crate) fn strip_beneath(array: ArrayRef) -> ArrayRef {
    match array.data_type() {
        ArrowType::List(field) if needs_strip(array.as_ref()) => {
            let Some(list) = array.as_any().downcast_ref::<ListArray>() else {
                return array;
            };
            let Ok(values) = strip(strip_beneath(list.values().clone())) else {
                return array;
            };
            ListArray::try_new(
                field.clone(),
                list.offsets().clone(),
                values,
                list.nulls().cloned(),
            )
            .map_or(array.clone(), |list| Arc::new(list))
        }
        ArrowType::FixedSizeList(field, size) if needs_strip(array.as_ref()) => {
            let Some(list) = array.as_any().downcast_ref::<FixedSizeListArray>() else {
                return array;
            };
            let Ok(values) = strip(strip_beneath(list.values().clone())) else {
                return array;
            };
            FixedSizeListArray::try_new(field.clone(), *size, values, list.nulls().cloned())
                .map_or(array.clone(), |list| Arc::new(list))
        }
        _ => array,
    }
}

fn needs_strip(array: &dyn Array) -> bool {
    let child = match array.data_type() {
        ArrowType::List(_) => array.as_any().downcast_ref::<ListArray>().map(ListArray::values),
        ArrowType::FixedSizeList(..) => array
            .as_any()
            .downcast_ref::<FixedSizeListArray>()
            .map(FixedSizeListArray::values),
        _ => None,
    };
    child.is_some_and(|child| child.nulls().is_some() || needs_strip(child.as_ref()))
}

/// The rows of a mask as the Arrow array that kernels take.
pub(crate) fn mask_array(mask: &BooleanBuffer) -> BooleanArray {
    BooleanArray::new(mask.clone(), None)
}
