//! Typed reading of values, row by row, whether they are columns or constants.

use arrow::array::{
    Array, ArrowPrimitiveType, AsArray, BinaryArray, BooleanArray, PrimitiveArray, StringArray,
};
use arrow::error::ArrowError;

use super::value::{Value, wrong_type};

/// A primitive operand.
pub(super) enum Numbers<'a, T: ArrowPrimitiveType> {
    Rows(&'a PrimitiveArray<T>),
    Constant(Option<T::Native>),
}

impl<'a, T: ArrowPrimitiveType> Numbers<'a, T> {
    pub(super) fn of(value: &'a Value) -> Result<Self, ArrowError> {
        let array = value.array().as_primitive_opt::<T>().ok_or_else(wrong_type)?;
        Ok(if value.is_constant() {
            Self::Constant(array.is_valid(0).then(|| array.value(0)))
        } else {
            Self::Rows(array)
        })
    }

    /// The number of a row, `None` for null.
    pub(super) fn get(&self, row: usize) -> Option<T::Native> {
        match self {
            Self::Rows(array) => array.is_valid(row).then(|| array.value(row)),
            Self::Constant(value) => *value,
        }
    }
}

/// A STRING operand.
pub(super) enum Texts<'a> {
    Rows(&'a StringArray),
    Constant(Option<&'a str>),
}

impl<'a> Texts<'a> {
    pub(super) fn of(value: &'a Value) -> Result<Self, ArrowError> {
        let array = value.array().as_string_opt::<i32>().ok_or_else(wrong_type)?;
        Ok(if value.is_constant() {
            Self::Constant(array.is_valid(0).then(|| array.value(0)))
        } else {
            Self::Rows(array)
        })
    }

    /// The text of a row, `None` for null.
    pub(super) fn get(&self, row: usize) -> Option<&'a str> {
        match self {
            Self::Rows(array) => array.is_valid(row).then(|| array.value(row)),
            Self::Constant(value) => *value,
        }
    }
}

/// A BYTES column.
pub(super) fn bytes_of(value: &Value) -> Result<&BinaryArray, ArrowError> {
    value.array().as_binary_opt::<i32>().ok_or_else(wrong_type)
}

/// A BOOL column.
pub(super) fn booleans_of(value: &Value) -> Result<&BooleanArray, ArrowError> {
    value.array().as_boolean_opt().ok_or_else(wrong_type)
}
