//! Columns as plain slices, so that a value is one index away.

use arrow::array::{Array, AsArray};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::datatypes::{
    DataType as ArrowType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    TimestampNanosecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};

/// The values of a column or of the items of its lists.
pub(super) enum Values<'a> {
    U8(&'a [u8]),
    I8(&'a [i8]),
    U16(&'a [u16]),
    I16(&'a [i16]),
    U32(&'a [u32]),
    I32(&'a [i32]),
    U64(&'a [u64]),
    I64(&'a [i64]),
    F32(&'a [f32]),
    F64(&'a [f64]),
    Bool(&'a BooleanBuffer),
    DateTime(&'a [i64]),
    Text(Slices<'a>),
    Bytes(Slices<'a>),
    Vec {
        offsets: &'a [i32],
        items: Box<Values<'a>>,
    },
    Array {
        size: usize,
        items: Box<Values<'a>>,
    },
}

/// Pieces of one buffer.
pub(super) struct Slices<'a> {
    offsets: &'a [i32],
    bytes: &'a [u8],
}

impl<'a> Slices<'a> {
    #[inline]
    pub(super) fn get(&self, row: usize) -> &'a [u8] {
        self.bytes.get(range(self.offsets, row)).unwrap_or_default()
    }
}

/// Where a row of lists or texts stands in what they are made of.
#[inline]
pub(super) fn range(offsets: &[i32], row: usize) -> std::ops::Range<usize> {
    match offsets.get(row..row + 2) {
        Some([start, end]) => *start as usize..*end as usize,
        _ => 0..0,
    }
}

impl<'a> Values<'a> {
    /// The values of an array in one of the forms that NSPL types have.
    pub(super) fn of(array: &'a dyn Array) -> Option<Self> {
        macro_rules! numbers {
            ($form:ident, $type:ty) => {
                Values::$form(array.as_primitive_opt::<$type>()?.values())
            };
        }
        Some(match array.data_type() {
            ArrowType::UInt8 => numbers!(U8, UInt8Type),
            ArrowType::Int8 => numbers!(I8, Int8Type),
            ArrowType::UInt16 => numbers!(U16, UInt16Type),
            ArrowType::Int16 => numbers!(I16, Int16Type),
            ArrowType::UInt32 => numbers!(U32, UInt32Type),
            ArrowType::Int32 => numbers!(I32, Int32Type),
            ArrowType::UInt64 => numbers!(U64, UInt64Type),
            ArrowType::Int64 => numbers!(I64, Int64Type),
            ArrowType::Float32 => numbers!(F32, Float32Type),
            ArrowType::Float64 => numbers!(F64, Float64Type),
            ArrowType::Timestamp(..) => numbers!(DateTime, TimestampNanosecondType),
            ArrowType::Boolean => Self::Bool(array.as_boolean_opt()?.values()),
            ArrowType::Utf8 => {
                let texts = array.as_string_opt::<i32>()?;
                Self::Text(Slices {
                    offsets: texts.value_offsets(),
                    bytes: texts.value_data(),
                })
            }
            ArrowType::Binary => {
                let bytes = array.as_binary_opt::<i32>()?;
                Self::Bytes(Slices {
                    offsets: bytes.value_offsets(),
                    bytes: bytes.value_data(),
                })
            }
            ArrowType::List(_) => {
                let lists = array.as_list_opt::<i32>()?;
                Self::Vec {
                    offsets: lists.value_offsets(),
                    items: Box::new(Self::of(lists.values().as_ref())?),
                }
            }
            ArrowType::FixedSizeList(..) => {
                let lists = array.as_fixed_size_list_opt()?;
                Self::Array {
                    size: usize::try_from(lists.value_length()).ok()?,
                    items: Box::new(Self::of(lists.values().as_ref())?),
                }
            }
            _ => return None,
        })
    }

    /// Whether a row holds, or has among its items, a number that a format cannot write.
    pub(super) fn has_unwritable(&self, row: usize, finite: bool, signed: bool) -> bool {
        let among = |items: &Values<'_>, mut rows: std::ops::Range<usize>| {
            rows.any(|row| items.has_unwritable(row, finite, signed))
        };
        match self {
            Self::F32(values) => finite && values.get(row).is_some_and(|value| !value.is_finite()),
            Self::F64(values) => finite && values.get(row).is_some_and(|value| !value.is_finite()),
            Self::U64(values) => {
                signed
                    && values
                        .get(row)
                        .is_some_and(|value| i64::try_from(*value).is_err())
            }
            Self::Vec { offsets, items } => among(items, range(offsets, row)),
            Self::Array { size, items } => among(items, row * size..(row + 1) * size),
            _ => false,
        }
    }
}

/// A column of one batch.
pub(super) struct Column<'a> {
    pub(super) values: Values<'a>,
    nulls: Option<&'a NullBuffer>,
}

impl<'a> Column<'a> {
    pub(super) fn of(array: &'a dyn Array) -> Option<Self> {
        Some(Self {
            values: Values::of(array)?,
            nulls: array.nulls().filter(|nulls| nulls.null_count() > 0),
        })
    }

    #[inline]
    pub(super) fn is_valid(&self, row: usize) -> bool {
        self.nulls.is_none_or(|nulls| nulls.is_valid(row))
    }
}
