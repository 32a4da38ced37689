//! One JSON value as a value of an Arrow type, or the reason why it is none.
//!
//! Exact: nothing is cut, guessed or stringified. Messages name types, never the value.

use arrow::datatypes::{DataType, Field, TimeUnit};
use base64::{Engine, engine::general_purpose::STANDARD};
use nspl::model::read_datetime;
use serde_json::{Number, Value};

/// The largest whole number up to which every whole number has its own F64.
const EXACT_F64: f64 = 9_007_199_254_740_992.0;

/// A value that fits the type it was read for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell {
    Null,
    Whole(i128),
    Real(f64),
    Truth(bool),
    Text(String),
    Bytes(Vec<u8>),
    List(Vec<Cell>),
}

/// Reads `value` for `field`.
pub(super) fn read(field: &Field, value: Value) -> Result<Cell, String> {
    if value.is_null() {
        return if field.is_nullable() {
            Ok(Cell::Null)
        } else {
            Err("null, but the field is not OPTIONAL".to_owned())
        };
    }
    let found = word(&value);
    let cell = match (field.data_type(), value) {
        (DataType::Float32, Value::Number(number)) => real(&number).filter(|x| fits_f32(*x)).map(Cell::Real),
        (DataType::Float64, Value::Number(number)) => real(&number).map(Cell::Real),
        (DataType::Float32 | DataType::Float64, Value::String(text)) => special(&text).map(Cell::Real),
        (DataType::Boolean, Value::Bool(truth)) => Some(Cell::Truth(truth)),
        (DataType::Utf8, Value::String(text)) => Some(Cell::Text(text)),
        (DataType::Binary, Value::String(text)) => STANDARD.decode(text).ok().map(Cell::Bytes),
        (DataType::Timestamp(TimeUnit::Nanosecond, _), Value::String(text)) => {
            read_datetime(&text).ok().map(|moment| Cell::Whole(moment.into()))
        }
        (DataType::List(item), Value::Array(values)) => return list(item, values),
        (DataType::FixedSizeList(item, length), Value::Array(values)) => {
            if usize::try_from(*length) != Ok(values.len()) {
                return Err(format!("an array of {} items, expected {length}", values.len()));
            }
            return list(item, values);
        }
        (data_type, Value::Number(number)) => {
            let (least, most) =
                bounds(data_type).ok_or_else(|| format!("a number, expected {}", name(data_type)))?;
            whole(&number)
                .filter(|n| (least..=most).contains(n))
                .map(Cell::Whole)
        }
        _ => None,
    };
    cell.ok_or_else(|| format!("{found} that is no {}", name(field.data_type())))
}

fn list(item: &Field, values: Vec<Value>) -> Result<Cell, String> {
    let cells = values
        .into_iter()
        .enumerate()
        .map(|(index, value)| read(item, value).map_err(|message| format!("item {index}: {message}")));
    cells.collect::<Result<_, _>>().map(Cell::List)
}

/// Whole numbers in any spelling: `3`, `3.0`, `3e0`.
fn whole(number: &Number) -> Option<i128> {
    if let Some(whole) = number.as_i128() {
        return Some(whole);
    }
    let real = number.as_f64()?;
    if real.fract() != 0.0 || real.abs() > EXACT_F64 {
        return None;
    }
    // The digits of a whole float below 2^53 are exactly its value.
    format!("{real:.0}").parse().ok()
}

fn real(number: &Number) -> Option<f64> {
    number.as_f64().filter(|real| real.is_finite())
}

fn fits_f32(real: f64) -> bool {
    // Values above this round to infinity.
    real.abs() < f64::from(f32::MAX) * (1.0 + f64::from(f32::EPSILON) / 4.0)
}

fn special(text: &str) -> Option<f64> {
    match text {
        "NaN" => Some(f64::NAN),
        "inf" => Some(f64::INFINITY),
        "-inf" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

fn bounds(data_type: &DataType) -> Option<(i128, i128)> {
    Some(match data_type {
        DataType::UInt8 => (0, u8::MAX.into()),
        DataType::UInt16 => (0, u16::MAX.into()),
        DataType::UInt32 => (0, u32::MAX.into()),
        DataType::UInt64 => (0, u64::MAX.into()),
        DataType::Int8 => (i8::MIN.into(), i8::MAX.into()),
        DataType::Int16 => (i16::MIN.into(), i16::MAX.into()),
        DataType::Int32 => (i32::MIN.into(), i32::MAX.into()),
        DataType::Int64 => (i64::MIN.into(), i64::MAX.into()),
        _ => return None,
    })
}

/// The type in NSPL's words, with the form that JSON has for it.
fn name(data_type: &DataType) -> String {
    match data_type {
        DataType::UInt8 => "U8",
        DataType::UInt16 => "U16",
        DataType::UInt32 => "U32",
        DataType::UInt64 => "U64",
        DataType::Int8 => "I8",
        DataType::Int16 => "I16",
        DataType::Int32 => "I32",
        DataType::Int64 => "I64",
        DataType::Float32 => "F32",
        DataType::Float64 => "F64",
        DataType::Boolean => "BOOL",
        DataType::Utf8 => "STRING",
        DataType::Binary => "BYTES (padded base64)",
        DataType::Timestamp(..) => "DATETIME (RFC 3339)",
        DataType::List(_) => "VEC",
        DataType::FixedSizeList(..) => "ARRAY",
        other => return other.to_string(),
    }
    .to_owned()
}

fn word(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
