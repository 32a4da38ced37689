//! The values of a column while they are read. Every part can be cut back, so a record that fails half-way is taken out.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, BooleanBufferBuilder, FixedSizeListArray, Float32Array,
    Float64Array, Int8Array, Int16Array, Int32Array, Int64Array, ListArray, StringArray,
    TimestampNanosecondArray, UInt8Array, UInt16Array, UInt32Array, UInt64Array,
};
use arrow::buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow::datatypes::DataType as ArrowType;
use arrow::error::ArrowError;
use nervix_columns::arrow_type;
use nervix_columns::text::read_datetime;
use nspl_model::DataType;

use super::source::{Reason, Source};

/// Values of one type.
pub(super) enum Values {
    U8(Vec<u8>),
    I8(Vec<i8>),
    U16(Vec<u16>),
    I16(Vec<i16>),
    U32(Vec<u32>),
    I32(Vec<i32>),
    U64(Vec<u64>),
    I64(Vec<i64>),
    F32(Vec<f32>),
    F64(Vec<f64>),
    DateTime(Vec<i64>),
    Bool(BooleanBufferBuilder),
    Text(Pieces),
    Bytes(Pieces),
    Vec {
        offsets: Vec<i32>,
        items: Box<Values>,
    },
    Array {
        rows: usize,
        size: usize,
        items: Box<Values>,
    },
}

/// Texts or octets behind each other.
pub(super) struct Pieces {
    offsets: Vec<i32>,
    bytes: Vec<u8>,
}

impl Pieces {
    fn new() -> Self {
        Self {
            offsets: vec![0],
            bytes: Vec::new(),
        }
    }

    fn push(&mut self, piece: &[u8]) -> Result<(), Reason> {
        let end = self.bytes.len().checked_add(piece.len());
        let end = end
            .and_then(|end| i32::try_from(end).ok())
            .ok_or(Reason::NoRoom)?;
        self.bytes.extend_from_slice(piece);
        self.offsets.push(end);
        Ok(())
    }

    fn truncate(&mut self, rows: usize) {
        self.offsets.truncate(rows + 1);
        self.bytes.truncate(last(&self.offsets));
    }
}

fn last(offsets: &[i32]) -> usize {
    offsets
        .last()
        .map_or(0, |end| usize::try_from(*end).unwrap_or_default())
}

/// Does the same with the values of every type that is a plain number.
macro_rules! numbers {
    ($of:expr, $values:ident => $do:expr, $($rest:tt)*) => {
        match $of {
            Values::U8($values) => $do,
            Values::I8($values) => $do,
            Values::U16($values) => $do,
            Values::I16($values) => $do,
            Values::U32($values) => $do,
            Values::I32($values) => $do,
            Values::U64($values) => $do,
            Values::I64($values) => $do,
            Values::F32($values) => $do,
            Values::F64($values) => $do,
            Values::DateTime($values) => $do,
            $($rest)*
        }
    };
}

impl Values {
    pub(super) fn of(data_type: &DataType) -> Self {
        match data_type {
            DataType::U8 => Self::U8(Vec::new()),
            DataType::I8 => Self::I8(Vec::new()),
            DataType::U16 => Self::U16(Vec::new()),
            DataType::I16 => Self::I16(Vec::new()),
            DataType::U32 => Self::U32(Vec::new()),
            DataType::I32 => Self::I32(Vec::new()),
            DataType::U64 => Self::U64(Vec::new()),
            DataType::I64 => Self::I64(Vec::new()),
            DataType::F32 => Self::F32(Vec::new()),
            DataType::F64 => Self::F64(Vec::new()),
            DataType::Bool => Self::Bool(BooleanBufferBuilder::new(0)),
            DataType::String => Self::Text(Pieces::new()),
            DataType::DateTime => Self::DateTime(Vec::new()),
            DataType::Bytes => Self::Bytes(Pieces::new()),
            DataType::Vec(item) => Self::Vec {
                offsets: vec![0],
                items: Box::new(Self::of(item)),
            },
            DataType::Array(item, axes) => {
                let inner = data_type.element().unwrap_or_else(|| item.as_ref().clone());
                Self::Array {
                    rows: 0,
                    size: axes.first().map_or(0, |axis| *axis as usize),
                    items: Box::new(Self::of(&inner)),
                }
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        numbers!(self, values => values.len(),
            Self::Bool(bits) => bits.len(),
            Self::Text(pieces) | Self::Bytes(pieces) => pieces.offsets.len() - 1,
            Self::Vec { offsets, .. } => offsets.len() - 1,
            Self::Array { rows, .. } => *rows,
        )
    }

    /// Cuts back to the first `rows` values.
    pub(super) fn truncate(&mut self, rows: usize) {
        numbers!(self, values => values.truncate(rows),
            Self::Bool(bits) => bits.truncate(rows),
            Self::Text(pieces) | Self::Bytes(pieces) => pieces.truncate(rows),
            Self::Vec { offsets, items } => {
                offsets.truncate(rows + 1);
                items.truncate(last(offsets));
            }
            Self::Array { rows: own, size, items } => {
                *own = rows.min(*own);
                items.truncate(*own * *size);
            }
        );
    }

    /// Bytes that one value takes beneath a null.
    pub(super) fn null_bytes(&self) -> usize {
        match self {
            Self::Array { size, items, .. } => size.saturating_mul(items.null_bytes()),
            _ => size_of::<u64>(),
        }
    }

    /// Adds what stands beneath nulls.
    pub(super) fn push_beneath_null(&mut self, rows: usize) -> Result<(), Reason> {
        numbers!(self, values => values.resize(values.len() + rows, Default::default()),
            Self::Bool(bits) => bits.append_n(rows, false),
            Self::Text(pieces) | Self::Bytes(pieces) => {
                let end = pieces.offsets.last().copied().unwrap_or_default();
                pieces.offsets.resize(pieces.offsets.len() + rows, end);
            }
            Self::Vec { offsets, .. } => {
                let end = offsets.last().copied().unwrap_or_default();
                offsets.resize(offsets.len() + rows, end);
            }
            Self::Array { rows: own, size, items } => {
                items.push_beneath_null(rows.checked_mul(*size).ok_or(Reason::NoRoom)?)?;
                *own += rows;
            }
        );
        Ok(())
    }

    /// Adds the next value. After an error something of it may be there; the caller cuts back.
    pub(super) fn push<'a, S: Source<'a>>(&mut self, source: &mut S) -> Result<(), Reason> {
        macro_rules! integer {
            ($values:expr) => {
                $values.push(source.integer()?.try_into().map_err(|_| Reason::Range)?)
            };
        }
        match self {
            Self::U8(values) => integer!(values),
            Self::I8(values) => integer!(values),
            Self::U16(values) => integer!(values),
            Self::I16(values) => integer!(values),
            Self::U32(values) => integer!(values),
            Self::I32(values) => integer!(values),
            Self::U64(values) => integer!(values),
            Self::I64(values) => integer!(values),
            Self::F32(values) => values.push(source.f32()?),
            Self::F64(values) => values.push(source.f64()?),
            Self::DateTime(values) => {
                values.push(read_datetime(&source.text()?).map_err(|_| Reason::Rfc3339)?);
            }
            Self::Bool(bits) => bits.append(source.bool()?),
            Self::Text(pieces) => pieces.push(source.text()?.as_bytes())?,
            Self::Bytes(pieces) => pieces.push(&source.bytes()?)?,
            Self::Vec { offsets, items } => {
                source.list(&mut |source| items.push(source))?;
                offsets.push(i32::try_from(items.len()).map_err(|_| Reason::NoRoom)?);
            }
            Self::Array { rows, size, items } => {
                let end = items.len() + *size;
                source.list(&mut |source| {
                    if items.len() == end {
                        return Err(Reason::Length);
                    }
                    items.push(source)
                })?;
                if items.len() != end {
                    return Err(Reason::Length);
                }
                *rows += 1;
            }
        }
        Ok(())
    }

    /// The array of them.
    pub(super) fn build(
        self,
        data_type: &DataType,
        nulls: Option<NullBuffer>,
    ) -> Result<ArrayRef, ArrowError> {
        macro_rules! numbers {
            ($array:ident, $values:expr) => {
                Arc::new($array::try_new(ScalarBuffer::from($values), nulls)?)
            };
        }
        Ok(match self {
            Self::U8(values) => numbers!(UInt8Array, values),
            Self::I8(values) => numbers!(Int8Array, values),
            Self::U16(values) => numbers!(UInt16Array, values),
            Self::I16(values) => numbers!(Int16Array, values),
            Self::U32(values) => numbers!(UInt32Array, values),
            Self::I32(values) => numbers!(Int32Array, values),
            Self::U64(values) => numbers!(UInt64Array, values),
            Self::I64(values) => numbers!(Int64Array, values),
            Self::F32(values) => numbers!(Float32Array, values),
            Self::F64(values) => numbers!(Float64Array, values),
            Self::DateTime(values) => {
                let times = TimestampNanosecondArray::try_new(ScalarBuffer::from(values), nulls)?;
                Arc::new(times.with_data_type(arrow_type(data_type)))
            }
            Self::Bool(mut bits) => Arc::new(BooleanArray::new(bits.finish(), nulls)),
            Self::Text(Pieces { offsets, bytes }) => Arc::new(StringArray::try_new(
                offset_buffer(offsets),
                Buffer::from_vec(bytes),
                nulls,
            )?),
            Self::Bytes(Pieces { offsets, bytes }) => Arc::new(BinaryArray::try_new(
                offset_buffer(offsets),
                Buffer::from_vec(bytes),
                nulls,
            )?),
            Self::Vec { offsets, items } => {
                let (ArrowType::List(field), Some(element)) = (arrow_type(data_type), data_type.element())
                else {
                    return Err(no_list());
                };
                let items = items.build(&element, None)?;
                Arc::new(ListArray::try_new(field, offset_buffer(offsets), items, nulls)?)
            }
            Self::Array { rows, items, .. } => {
                let (ArrowType::FixedSizeList(field, size), Some(element)) =
                    (arrow_type(data_type), data_type.element())
                else {
                    return Err(no_list());
                };
                let items = items.build(&element, None)?;
                Arc::new(FixedSizeListArray::try_new_with_length(
                    field, size, items, nulls, rows,
                )?)
            }
        })
    }
}

fn offset_buffer(offsets: Vec<i32>) -> OffsetBuffer<i32> {
    OffsetBuffer::new(ScalarBuffer::from(offsets))
}

fn no_list() -> ArrowError {
    ArrowError::SchemaError("the values of a list are of no list type".into())
}
