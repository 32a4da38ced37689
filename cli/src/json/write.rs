//! Record batches to lines of JSON, fields in schema order.

use std::io::Write;

use arrow::{
    array::{
        Array, ArrayRef, ArrowPrimitiveType, AsArray, RecordBatch,
        types::{
            Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, TimestampNanosecondType,
            UInt8Type, UInt16Type, UInt32Type, UInt64Type,
        },
    },
    datatypes::{DataType, TimeUnit},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use nspl::model::{DateTimeText, is_obeyed};

/// Writes one line a row.
pub(crate) fn write_rows(batch: &RecordBatch, out: &mut impl Write) -> std::io::Result<()> {
    let schema = batch.schema();
    let names: Vec<String> = schema.fields().iter().map(|field| quoted(field.name())).collect();
    for row in 0..batch.num_rows() {
        let mut before = "{";
        for (name, column) in names.iter().zip(batch.columns()) {
            write!(out, "{before}{name}:")?;
            write_value(column, row, out)?;
            before = ",";
        }
        out.write_all(if names.is_empty() { b"{}\n" } else { b"}\n" })?;
    }
    Ok(())
}

/// The rows as cells of a table: JSON without the quotes around text, in which nothing stands that a terminal obeys.
pub(crate) fn table_cells(batch: &RecordBatch) -> std::io::Result<Vec<Vec<String>>> {
    let cell = |column: &ArrayRef, row| {
        let mut bytes = Vec::new();
        write_value(column, row, &mut bytes)?;
        let text = String::from_utf8_lossy(&bytes);
        let bare = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        Ok(printed(bare.unwrap_or(&text)))
    };
    (0..batch.num_rows())
        .map(|row| batch.columns().iter().map(|column| cell(column, row)).collect())
        .collect()
}

/// Text with escapes of JSON in place of what it leaves as it is and a terminal obeys; that is all below U+FFFF.
fn printed(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match is_obeyed(c) {
            true => shown += &format!("\\u{:04x}", u32::from(c)),
            false => shown.push(c),
        }
    }
    shown
}

fn write_value(array: &ArrayRef, row: usize, out: &mut impl Write) -> std::io::Result<()> {
    if array.is_null(row) {
        return out.write_all(b"null");
    }
    match array.data_type() {
        DataType::UInt8 => write!(out, "{}", at::<UInt8Type>(array, row)),
        DataType::UInt16 => write!(out, "{}", at::<UInt16Type>(array, row)),
        DataType::UInt32 => write!(out, "{}", at::<UInt32Type>(array, row)),
        DataType::UInt64 => write!(out, "{}", at::<UInt64Type>(array, row)),
        DataType::Int8 => write!(out, "{}", at::<Int8Type>(array, row)),
        DataType::Int16 => write!(out, "{}", at::<Int16Type>(array, row)),
        DataType::Int32 => write!(out, "{}", at::<Int32Type>(array, row)),
        DataType::Int64 => write!(out, "{}", at::<Int64Type>(array, row)),
        DataType::Float32 => real(
            &serde_json::to_string(&at::<Float32Type>(array, row))?,
            at::<Float32Type>(array, row).into(),
            out,
        ),
        DataType::Float64 => real(
            &serde_json::to_string(&at::<Float64Type>(array, row))?,
            at::<Float64Type>(array, row),
            out,
        ),
        DataType::Boolean => write!(out, "{}", array.as_boolean().value(row)),
        DataType::Utf8 => out.write_all(quoted(array.as_string::<i32>().value(row)).as_bytes()),
        DataType::Binary => write!(
            out,
            "\"{}\"",
            STANDARD.encode(array.as_binary::<i32>().value(row))
        ),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            write!(
                out,
                "\"{}\"",
                DateTimeText::of(at::<TimestampNanosecondType>(array, row)).as_str()
            )
        }
        DataType::List(_) => write_items(&array.as_list::<i32>().value(row), out),
        DataType::FixedSizeList(..) => write_items(&array.as_fixed_size_list().value(row), out),
        other => Err(std::io::Error::other(format!("there is no JSON for {other}"))),
    }
}

fn write_items(items: &ArrayRef, out: &mut impl Write) -> std::io::Result<()> {
    let mut before = "[";
    for index in 0..items.len() {
        out.write_all(before.as_bytes())?;
        write_value(items, index, out)?;
        before = ",";
    }
    out.write_all(if items.is_empty() { b"[]" } else { b"]" })
}

/// The fewest digits that read back in the value's own type; text where JSON has no number.
fn real(digits: &str, value: f64, out: &mut impl Write) -> std::io::Result<()> {
    if value.is_finite() {
        out.write_all(digits.as_bytes())
    } else if value.is_nan() {
        out.write_all(b"\"NaN\"")
    } else if value > 0.0 {
        out.write_all(b"\"inf\"")
    } else {
        out.write_all(b"\"-inf\"")
    }
}

fn at<T: ArrowPrimitiveType>(array: &ArrayRef, row: usize) -> T::Native {
    array.as_primitive::<T>().value(row)
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
