//! Dictionaries, unfolded into plain values.

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray};
use arrow::compute::{cast, take};
use arrow::datatypes::{DataType as ArrowType, UInt64Type};

use super::ConversionError;
use super::reading::{Allowance, Read, Reading, other_type};
use crate::nulls::{null_array, null_bytes, strip_beneath};
use crate::size::gathered_bytes;

/// Reads the values once and spreads them over the keys. A null key and a null value are both a null.
pub(super) fn read_dictionary(
    array: &ArrayRef,
    values: &Reading,
    target: &ArrowType,
    allowance: &mut Allowance,
) -> Result<Read, ConversionError> {
    let dictionary = array.as_any_dictionary_opt().ok_or_else(other_type)?;
    if dictionary.values().is_empty() {
        allowance.spend(null_bytes(target, array.len()))?;
        return Ok(Read {
            array: null_array(target, array.len()),
            unfit: None,
        });
    }
    let read = values.read(dictionary.values(), target, allowance)?;
    let keys = cast(dictionary.keys(), &ArrowType::UInt64)?;
    let keys = keys.as_primitive_opt::<UInt64Type>().ok_or_else(other_type)?;
    allowance.spend(gathered_bytes(&read.array, keys.iter().flatten()))?;
    let unfolded = strip_beneath(take(read.array.as_ref(), keys, None)?);
    let unfit = match read.unfit {
        None => None,
        Some(unfit) => {
            let marks = take(&BooleanArray::new(unfit, None), keys, None)?;
            let marks = marks.as_boolean_opt().ok_or_else(other_type)?;
            Some(match marks.nulls() {
                None => marks.values().clone(),
                Some(nulls) => marks.values() & nulls.inner(),
            })
        }
    };
    Ok(Read {
        array: unfolded,
        unfit,
    })
}
