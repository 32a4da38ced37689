//! One JSON value as a value of an Arrow type, or the reason why it is none.
//!
//! Exact: nothing is cut, guessed or stringified. Messages name types, never the value.

use arrow::datatypes::{DataType, Field, TimeUnit};
use base64::{Engine, engine::general_purpose::STANDARD};
use nspl::model::{json::whole_number, read_datetime};

use super::value::Json;

/// A value that fits the type it was read for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell {
    Null,
    Whole(i128),
    Real(f64),
    Narrow(f32),
    Truth(bool),
    Text(String),
    Bytes(Vec<u8>),
    List(Vec<Cell>),
}

/// Reads `value` for `field`.
pub(super) fn read(field: &Field, value: Json<'_>) -> Result<Cell, String> {
    if value == Json::Null {
        return if field.is_nullable() {
            Ok(Cell::Null)
        } else {
            Err("null, but the field is not OPTIONAL".to_owned())
        };
    }
    let found = word(&value);
    let cell = match (field.data_type(), value) {
        // Each by its own rounding: by way of F64, F32 would round twice.
        (DataType::Float32, Json::Number(spelled)) => spelled
            .parse()
            .ok()
            .filter(|x: &f32| x.is_finite())
            .map(Cell::Narrow),
        (DataType::Float64, Json::Number(spelled)) => spelled
            .parse()
            .ok()
            .filter(|x: &f64| x.is_finite())
            .map(Cell::Real),
        (DataType::Float32, Json::Text(text)) => special(&text).map(Cell::Narrow),
        (DataType::Float64, Json::Text(text)) => special(&text).map(|x| Cell::Real(x.into())),
        (DataType::Boolean, Json::Truth(truth)) => Some(Cell::Truth(truth)),
        (DataType::Utf8, Json::Text(text)) => Some(Cell::Text(text.into_owned())),
        (DataType::Binary, Json::Text(text)) => STANDARD.decode(&*text).ok().map(Cell::Bytes),
        (DataType::Timestamp(TimeUnit::Nanosecond, _), Json::Text(text)) => {
            read_datetime(&text).ok().map(|moment| Cell::Whole(moment.into()))
        }
        (DataType::List(item), Json::Array(values)) => return list(item, values),
        (DataType::FixedSizeList(item, length), Json::Array(values)) => {
            if usize::try_from(*length) != Ok(values.len()) {
                return Err(format!("an array of {} items, expected {length}", values.len()));
            }
            return list(item, values);
        }
        (data_type, Json::Number(spelled)) => {
            let (least, most) =
                bounds(data_type).ok_or_else(|| format!("a number, expected {}", name(data_type)))?;
            whole_number(spelled)
                .filter(|n| (least..=most).contains(n))
                .map(Cell::Whole)
        }
        _ => None,
    };
    cell.ok_or_else(|| format!("{found} that is no {}", name(field.data_type())))
}

fn list(item: &Field, values: Vec<Json<'_>>) -> Result<Cell, String> {
    let cells = values
        .into_iter()
        .enumerate()
        .map(|(index, value)| read(item, value).map_err(|message| format!("item {index}: {message}")));
    cells.collect::<Result<_, _>>().map(Cell::List)
}

fn special(text: &str) -> Option<f32> {
    match text {
        "NaN" => Some(f32::NAN),
        "inf" => Some(f32::INFINITY),
        "-inf" => Some(f32::NEG_INFINITY),
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

fn word(value: &Json<'_>) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Truth(_) => "a boolean",
        Json::Number(_) => "a number",
        Json::Text(_) => "a string",
        Json::Array(_) => "an array",
        Json::Object => "an object",
    }
}
