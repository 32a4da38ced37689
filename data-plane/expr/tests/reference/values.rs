//! The values at the edges of every type, as literals and as columns.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, FixedSizeListArray, Float32Array, Float64Array, Int8Array,
    Int16Array, Int32Array, Int64Array, ListArray, StringArray, TimestampNanosecondArray, UInt8Array,
    UInt16Array, UInt32Array, UInt64Array,
};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::DataType as ArrowType;
use nervix_columns::arrow_type;
use nspl_model::{DataType, Literal};

use crate::dice::Dice;

/// Every scalar type, and lists: a VEC of texts, an ARRAY of two axes, one within the other.
pub(crate) fn types() -> Vec<DataType> {
    let vec = |of| DataType::Vec(Box::new(of));
    let array = |of, axes| DataType::Array(Box::new(of), axes);
    let mut types = DataType::SCALARS.to_vec();
    types.push(vec(DataType::String));
    types.push(array(DataType::I64, vec![2, 1]));
    types.push(vec(array(DataType::Bool, vec![3])));
    types.push(array(vec(DataType::Bytes), vec![2]));
    types
}

/// Texts of every kind: empty, of characters of one to four bytes, combining, numbers, truth values, instants, patterns.
const TEXTS: [&str; 24] = [
    "",
    "a",
    "Ab",
    "hELLO wORLD-1a",
    "🦀é",
    "e\u{301}e",
    "İß",
    " x ",
    "a,b,,c",
    ",",
    "12",
    "007",
    "-1.5e3",
    "1e999",
    "nan",
    "-inf",
    "true",
    "9223372036854775808",
    "18446744073709551615",
    "1969-12-31T23:59:59.5Z",
    "2262-04-11T23:47:16.854775807Z",
    "2263-01-01T00:00:00Z",
    "2016-12-31T23:59:60Z",
    "[a-z]+",
];

const F64S: [f64; 16] = [
    0.0,
    -0.0,
    1.0,
    -2.5,
    0.5,
    1e-7,
    1e21,
    1e300,
    -1e300,
    16_777_217.0,
    9_007_199_254_740_993.0,
    -9_223_372_036_854_775_808.0,
    18_446_744_073_709_551_615.0,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
];

macro_rules! integers {
    ($variant:ident, $type:ty) => {
        [0, 1, 2, 7, 100, <$type>::MAX, <$type>::MAX - 1]
            .map(Literal::$variant)
            .to_vec()
    };
    ($variant:ident, $type:ty, signed) => {
        [0, 1, -1, 3, -8, <$type>::MAX, <$type>::MIN]
            .map(Literal::$variant)
            .to_vec()
    };
}

/// The values of a type that are worth looking at; null is not among them.
pub(crate) fn edges(of: &DataType) -> Vec<Literal> {
    match of {
        DataType::U8 => integers!(U8, u8),
        DataType::I8 => integers!(I8, i8, signed),
        DataType::U16 => integers!(U16, u16),
        DataType::I16 => integers!(I16, i16, signed),
        DataType::U32 => integers!(U32, u32),
        DataType::I32 => integers!(I32, i32, signed),
        DataType::U64 => [integers!(U64, u64), vec![Literal::U64(1 << 53 | 1)]].concat(),
        DataType::I64 => [integers!(I64, i64, signed), vec![Literal::I64(1 << 53 | 1)]].concat(),
        // What F32 does not have is an infinity, which is among them already.
        DataType::F32 => F64S
            .iter()
            .filter(|value| value.abs() != 1e300)
            .map(|value| Literal::F32(*value as f32))
            .collect(),
        DataType::F64 => F64S.iter().map(|value| Literal::F64(*value)).collect(),
        DataType::Bool => vec![Literal::Bool(true), Literal::Bool(false)],
        DataType::String => TEXTS.iter().map(|text| Literal::String((*text).into())).collect(),
        DataType::DateTime => [
            0,
            1,
            -1,
            -500_000_000,
            1_767_225_600_123_456_000,
            i64::MAX,
            i64::MIN,
        ]
        .map(Literal::DateTime)
        .to_vec(),
        DataType::Bytes => [&b""[..], b"a", "🦀".as_bytes(), &[0xFF, 0x00], &[0xF0, 0x9F]]
            .map(|bytes| Literal::Bytes(bytes.to_vec()))
            .to_vec(),
        DataType::Vec(element) => {
            let items = edges(element);
            let last = items[items.len() - 1].clone();
            vec![
                Literal::List(vec![]),
                Literal::List(vec![items[0].clone()]),
                Literal::List(vec![items[1].clone(), last]),
            ]
        }
        DataType::Array(_, axes) => {
            let items = edges(&of.element().unwrap());
            let from = |first: usize| {
                let around = items.iter().cycle().skip(first);
                Literal::List(around.take(axes[0] as usize).cloned().collect())
            };
            vec![from(0), from(1)]
        }
    }
}

/// One of the edges.
pub(crate) fn random(dice: &mut Dice, of: &DataType) -> Literal {
    dice.pick(&edges(of))
}

macro_rules! scalars {
    ($array:ty, $variant:ident, $values:expr) => {
        Arc::new(<$array>::from_iter($values.iter().map(|value| match value {
            Literal::$variant(value) => Some(value.clone()),
            _ => None,
        }))) as ArrayRef
    };
}

/// A column of these; a null, and a value of another type, is null.
pub(crate) fn column(of: &DataType, values: &[Literal]) -> ArrayRef {
    match of {
        DataType::U8 => scalars!(UInt8Array, U8, values),
        DataType::I8 => scalars!(Int8Array, I8, values),
        DataType::U16 => scalars!(UInt16Array, U16, values),
        DataType::I16 => scalars!(Int16Array, I16, values),
        DataType::U32 => scalars!(UInt32Array, U32, values),
        DataType::I32 => scalars!(Int32Array, I32, values),
        DataType::U64 => scalars!(UInt64Array, U64, values),
        DataType::I64 => scalars!(Int64Array, I64, values),
        DataType::F32 => scalars!(Float32Array, F32, values),
        DataType::F64 => scalars!(Float64Array, F64, values),
        DataType::Bool => scalars!(BooleanArray, Bool, values),
        DataType::String => scalars!(StringArray, String, values),
        DataType::Bytes => scalars!(BinaryArray, Bytes, values),
        DataType::DateTime => {
            let times = values.iter().map(|value| match value {
                Literal::DateTime(nanos) => Some(*nanos),
                _ => None,
            });
            Arc::new(TimestampNanosecondArray::from_iter(times).with_timezone("UTC"))
        }
        DataType::Vec(_) | DataType::Array(..) => list(of, values),
    }
}

fn list(of: &DataType, values: &[Literal]) -> ArrayRef {
    let element = of.element().unwrap();
    let valid: Vec<bool> = values.iter().map(|value| !value.is_null()).collect();
    let nulls = Some(NullBuffer::from(valid));
    let items = |value: &Literal| match value {
        Literal::List(items) => items.clone(),
        _ => Vec::new(),
    };
    match arrow_type(of) {
        ArrowType::List(item) => {
            let lengths = values.iter().map(|value| items(value).len());
            let offsets = OffsetBuffer::from_lengths(lengths);
            let flat: Vec<Literal> = values.iter().flat_map(items).collect();
            Arc::new(ListArray::new(item, offsets, column(&element, &flat), nulls))
        }
        ArrowType::FixedSizeList(item, size) => {
            // A null has elements too, which are not null themselves.
            let filler = edges(of)[0].clone();
            let filled = values
                .iter()
                .map(|value| if value.is_null() { &filler } else { value });
            let flat: Vec<Literal> = filled.flat_map(items).collect();
            Arc::new(FixedSizeListArray::new(
                item,
                size,
                column(&element, &flat),
                nulls,
            ))
        }
        other => panic!("{other} is no list"),
    }
}
