//! Key values of a branch as bytes.
//!
//! One row's key is the concatenation of its fields, each telling its own end, so equal bytes mean equal values:
//! `00` for null, or `01` and the value: numbers and DATETIME in their width, little-endian (-0.0 as 0.0, every
//! NaN as one); BOOL one byte; STRING and BYTES their length in four bytes, then the octets; VEC the number of its
//! elements in four bytes, then each as a field; ARRAY its elements.
//!
//! The form is kept for ever: fingerprints are computed over it.

use std::fmt;

use arrow::array::{Array, ArrayRef, AsArray, BinaryArray, BooleanArray, StringArray};
use arrow::buffer::{Buffer, NullBuffer, OffsetBuffer};
use arrow::datatypes::{DataType as ArrowType, Float32Type, Float64Type};

/// The longest encoded key, in bytes. It bounds what an idle instance may cost.
pub const KEY_BYTES_MAX: usize = 1_024;

/// The encoded key values of one row. Its Debug form does not show them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct BranchKey<'a>(&'a [u8]);

impl<'a> BranchKey<'a> {
    pub(super) fn new(encoded: &'a [u8]) -> Self {
        Self(encoded)
    }

    pub(super) fn as_bytes(&self) -> &'a [u8] {
        self.0
    }
}

impl fmt::Debug for BranchKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BranchKey(***)")
    }
}

/// Columns that cannot be the key values of a branch.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// Not one column per field of the branch's schema.
    #[error("a branch of {expected} fields was given {found} columns")]
    Columns {
        /// Fields of the branch's schema.
        expected: usize,
        /// Columns given.
        found: usize,
    },
    /// Columns of different lengths.
    #[error("the key columns of a branch differ in length")]
    Lengths,
    /// An Arrow type that no NSPL type has.
    #[error("key column {column} of a branch has the Arrow type {found}, which no field can have")]
    Type {
        /// Position of the column.
        column: usize,
        /// Its type.
        found: ArrowType,
    },
}

/// A column ready to be read row by row.
pub(super) struct Column {
    nulls: Option<NullBuffer>,
    values: Values,
}

enum Values {
    Fixed {
        bytes: Buffer,
        first: usize,
        width: usize,
    },
    F32(Vec<u32>),
    F64(Vec<u64>),
    Bool(BooleanArray),
    Text(StringArray),
    Octets(BinaryArray),
    List {
        offsets: OffsetBuffer<i32>,
        elements: Box<Column>,
    },
    Axis {
        length: usize,
        elements: Box<Column>,
    },
}

impl Column {
    pub(super) fn new(array: &ArrayRef) -> Option<Self> {
        let nulls = array.nulls().cloned();
        let values = match array.data_type() {
            ArrowType::Float32 => {
                let values = array.as_primitive::<Float32Type>().values();
                Values::F32(values.iter().map(|value| canonical_f32(*value)).collect())
            }
            ArrowType::Float64 => {
                let values = array.as_primitive::<Float64Type>().values();
                Values::F64(values.iter().map(|value| canonical_f64(*value)).collect())
            }
            ArrowType::Boolean => Values::Bool(array.as_boolean().clone()),
            ArrowType::Utf8 => Values::Text(array.as_string::<i32>().clone()),
            ArrowType::Binary => Values::Octets(array.as_binary::<i32>().clone()),
            ArrowType::List(_) => {
                let list = array.as_list::<i32>();
                let elements = Box::new(Self::new(list.values())?);
                Values::List {
                    offsets: list.offsets().clone(),
                    elements,
                }
            }
            ArrowType::FixedSizeList(_, length) => {
                let list = array.as_fixed_size_list();
                let elements = Box::new(Self::new(list.values())?);
                // `values` of a sliced list is already cut to the slice.
                Values::Axis {
                    length: usize::try_from(*length).ok()?,
                    elements,
                }
            }
            fixed => {
                let width = fixed.primitive_width()?;
                let data = array.to_data();
                Values::Fixed {
                    bytes: data.buffers().first()?.clone(),
                    first: data.offset(),
                    width,
                }
            }
        };
        Some(Self { nulls, values })
    }

    /// Appends row `row` to `key`.
    pub(super) fn encode(&self, row: usize, key: &mut Vec<u8>) {
        if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            key.push(0);
            return;
        }
        key.push(1);
        match &self.values {
            Values::Fixed { bytes, first, width } => {
                let start = (first + row) * width;
                key.extend_from_slice(&bytes.as_slice()[start..start + width]);
            }
            Values::F32(values) => key.extend_from_slice(&values[row].to_le_bytes()),
            Values::F64(values) => key.extend_from_slice(&values[row].to_le_bytes()),
            Values::Bool(values) => key.push(u8::from(values.value(row))),
            Values::Text(values) => encode_octets(values.value(row).as_bytes(), key),
            Values::Octets(values) => encode_octets(values.value(row), key),
            Values::List { offsets, elements } => {
                let (from, to) = (offsets[row] as usize, offsets[row + 1] as usize);
                key.extend_from_slice(&((to - from) as u32).to_le_bytes());
                elements.encode_all(from, to, key);
            }
            Values::Axis { length, elements } => {
                let from = row * length;
                elements.encode_all(from, from + length, key);
            }
        }
    }

    /// Appends elements, but stops soon after the key has become too long to be one.
    fn encode_all(&self, from: usize, to: usize, key: &mut Vec<u8>) {
        let start = key.len();
        for element in from..to {
            if key.len() - start > KEY_BYTES_MAX {
                break;
            }
            self.encode(element, key);
        }
    }
}

fn encode_octets(octets: &[u8], key: &mut Vec<u8>) {
    key.extend_from_slice(&(octets.len() as u32).to_le_bytes());
    // What is longer than a key may be is refused anyway; one octet more shows that.
    key.extend_from_slice(&octets[..octets.len().min(KEY_BYTES_MAX + 1)]);
}

fn canonical_f32(value: f32) -> u32 {
    if value.is_nan() {
        f32::NAN.to_bits()
    } else {
        (value + 0.0).to_bits()
    }
}

fn canonical_f64(value: f64) -> u64 {
    if value.is_nan() {
        f64::NAN.to_bits()
    } else {
        (value + 0.0).to_bits()
    }
}

#[cfg(test)]
mod tests;
