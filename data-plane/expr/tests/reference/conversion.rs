//! Casts and JSON, by the letter of rulings section 5.

use nervix_expr::Fault;
use nspl_model::{DataType, JsonPath};

use super::{Answer, Value, fitting};
use crate::documents::{Found, PATHS, TEXTS, found};

/// A cast that exists.
pub(crate) fn cast(value: Value, from: &DataType, to: &DataType) -> Result<Value, Fault> {
    if from == to {
        return Ok(value);
    }
    match (value, to) {
        (Value::Text(text), DataType::Bytes) => Ok(Value::Bytes(text.into_bytes())),
        (Value::Text(text), to) => parse(&text, to),
        (Value::Bytes(bytes), _) => String::from_utf8(bytes)
            .map(Value::Text)
            .map_err(|_| Fault::NotUtf8),
        (Value::Bool(value), _) => Ok(Value::Text(value.to_string())),
        (Value::Time(nanos), _) => Ok(Value::Text(instant(nanos))),
        (Value::Int(value), DataType::String) => Ok(Value::Text(value.to_string())),
        (Value::Int(value), DataType::F64) => {
            let near = value as f64;
            exact(near as i128 == value, Value::F64(near))
        }
        (Value::Int(value), DataType::F32) => {
            let near = value as f32;
            exact(near as i128 == value, Value::F32(near))
        }
        (Value::Int(value), to) => fitting(value, to, Fault::OutOfRange),
        (Value::F32(value), DataType::String) => {
            let magnitude = value.abs();
            let shortest = if magnitude != 0.0 && value.is_finite() && !(1e-6..1e21).contains(&magnitude) {
                format!("{value:e}")
            } else {
                format!("{value}")
            };
            Ok(Value::Text(float_text(value.into(), shortest, |text| {
                text.parse() == Ok(value)
            })))
        }
        (Value::F32(value), to) => from_float(value.into(), to),
        (Value::F64(value), DataType::String) => {
            let magnitude = value.abs();
            let shortest = if magnitude != 0.0 && value.is_finite() && !(1e-6..1e21).contains(&magnitude) {
                format!("{value:e}")
            } else {
                format!("{value}")
            };
            Ok(Value::Text(float_text(value, shortest, |text| {
                text.parse() == Ok(value)
            })))
        }
        (Value::F64(value), to) => from_float(value, to),
        (Value::List(_), _) => panic!("lists are cast to nothing"),
    }
}

fn exact(holds: bool, value: Value) -> Result<Value, Fault> {
    if holds { Ok(value) } else { Err(Fault::OutOfRange) }
}

fn from_float(value: f64, to: &DataType) -> Result<Value, Fault> {
    match to {
        DataType::F64 => Ok(Value::F64(value)),
        DataType::F32 => {
            let near = value as f32;
            exact(near.is_infinite() == value.is_infinite(), Value::F32(near))
        }
        _ if value.fract() != 0.0 || !value.is_finite() => Err(Fault::OutOfRange),
        to => fitting(value as i128, to, Fault::OutOfRange),
    }
}

/// `{}` writes whole floats without a point. Of two texts that are as short and as near, the even one counts, which is what
/// rounding to their number of digits gives.
fn float_text(value: f64, shortest: String, reads_back: impl Fn(&str) -> bool) -> String {
    let decimals = |text: &str| text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let even = match shortest.split_once('e') {
        _ if !value.is_finite() => return shortest,
        Some((mantissa, _)) => format!("{value:.*e}", decimals(mantissa)),
        None if !shortest.contains('.') => return format!("{shortest}.0"),
        None => format!("{value:.*}", decimals(&shortest)),
    };
    if reads_back(&even) { even } else { shortest }
}

fn parse(text: &str, to: &DataType) -> Result<Value, Fault> {
    match to {
        DataType::Bool => text.parse().map(Value::Bool).map_err(|_| Fault::Unreadable),
        DataType::F64 | DataType::F32 if !is_float(text) => Err(Fault::Unreadable),
        DataType::F64 => {
            let value: f64 = text.parse().map_err(|_| Fault::Unreadable)?;
            exact(
                !value.is_infinite() || text.contains(['i', 'I']),
                Value::F64(value),
            )
        }
        DataType::F32 => {
            let value: f32 = text.parse().map_err(|_| Fault::Unreadable)?;
            exact(
                !value.is_infinite() || text.contains(['i', 'I']),
                Value::F32(value),
            )
        }
        DataType::DateTime => read_instant(text),
        to => {
            let digits = text.strip_prefix('-').unwrap_or(text);
            if digits.is_empty() || !digits.chars().all(|c| c.is_ascii_digit()) {
                return Err(Fault::Unreadable);
            }
            let value: i128 = text.parse().map_err(|_| Fault::OutOfRange)?;
            fitting(value, to, Fault::OutOfRange)
        }
    }
}

fn is_float(text: &str) -> bool {
    let form = "^(-?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?|(?i)nan|-?inf(inity)?)$";
    regex::Regex::new(form).unwrap().is_match(text)
}

/// Walks over the years, since the rulings say nothing of eras.
fn instant(nanos: i64) -> String {
    let (mut days, mut year) = (nanos.div_euclid(86_400_000_000_000), 1970);
    while days < 0 {
        year -= 1;
        days += year_days(year);
    }
    while days >= year_days(year) {
        days -= year_days(year);
        year += 1;
    }
    let mut month = 0;
    while days >= month_days(year, month) {
        days -= month_days(year, month);
        month += 1;
    }
    let of_day = nanos.rem_euclid(86_400_000_000_000);
    let (second, fraction) = (of_day / 1_000_000_000, of_day % 1_000_000_000);
    let digits = match fraction {
        0 => String::new(),
        millis if millis % 1_000_000 == 0 => format!(".{:03}", millis / 1_000_000),
        micros if micros % 1_000 == 0 => format!(".{:06}", micros / 1_000),
        nanos => format!(".{nanos:09}"),
    };
    let (hour, minute) = (second / 3600, second / 60 % 60);
    format!(
        "{year:04}-{:02}-{:02}T{hour:02}:{minute:02}:{:02}{digits}Z",
        month + 1,
        days + 1,
        second % 60
    )
}

fn year_days(year: i64) -> i64 {
    if is_leap(year) { 366 } else { 365 }
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn month_days(year: i64, month: usize) -> i64 {
    let february = if is_leap(year) { 29 } else { 28 };
    [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month]
}

/// The instants among the random texts; whatever else is none.
fn read_instant(text: &str) -> Result<Value, Fault> {
    let form = "^([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(\\.[0-9]{1,9})?[Zz]$";
    let form = regex::Regex::new(form).unwrap();
    let parts = form.captures(text).ok_or(Fault::Unreadable)?;
    let part = |index: usize| parts[index].parse::<i64>().unwrap();
    let mut days = 0;
    for year in 1970..part(1) {
        days += year_days(year);
    }
    for year in part(1)..1970 {
        days -= year_days(year);
    }
    for month in 0..part(2) as usize - 1 {
        days += month_days(part(1), month);
    }
    let seconds = (days + part(3) - 1) * 86_400 + part(4) * 3600 + part(5) * 60 + part(6);
    let fraction = parts
        .get(7)
        .map_or("", |digits| digits.as_str().trim_start_matches('.'));
    let nanos: i128 = format!("{fraction:0<9}").parse().unwrap();
    let nanos = i128::from(seconds) * 1_000_000_000 + nanos;
    i64::try_from(nanos)
        .map(Value::Time)
        .map_err(|_| Fault::OutOfRange)
}

fn look(document: &str, path: &JsonPath) -> Found {
    let document = TEXTS.iter().position(|text| *text == document).unwrap();
    let path = PATHS
        .iter()
        .position(|text| JsonPath::parse(text).unwrap() == *path)
        .unwrap();
    found(document, path)
}

/// JSON_VALUE.
pub(crate) fn json(document: Option<&Value>, path: &JsonPath, to: &DataType) -> Answer {
    let Some(Value::Text(document)) = document else {
        return Ok(None);
    };
    match (look(document, path), to) {
        (Found::NoJson, _) => Err(Fault::NotJson),
        (Found::Nothing | Found::Null, _) => Ok(None),
        (Found::Bool(value), DataType::Bool) => Ok(Some(Value::Bool(value))),
        (Found::Text(text), DataType::String) => Ok(Some(Value::Text(text.into()))),
        (Found::Text(text), DataType::DateTime) => read_instant(text).map(Some),
        (Found::Number(_, near), DataType::F64) => exact(near.is_finite(), Value::F64(near)).map(Some),
        (Found::Number(_, near), DataType::F32) => exact(near.is_finite(), Value::F32(near as f32)).map(Some),
        (Found::Number(whole, _), to) if to.is_integer() => {
            fitting(whole.ok_or(Fault::OutOfRange)?, to, Fault::OutOfRange).map(Some)
        }
        _ => Err(Fault::JsonType),
    }
}

/// JSON_EXISTS.
pub(crate) fn json_exists(document: Option<&Value>, path: &JsonPath) -> Answer {
    let Some(Value::Text(document)) = document else {
        return Ok(None);
    };
    match look(document, path) {
        Found::NoJson => Err(Fault::NotJson),
        found => Ok(Some(Value::Bool(found != Found::Nothing))),
    }
}
