//! `AS` and TRY_CAST (rulings section 5): conversions that are exact, or errors of their record.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BinaryArray, StringArray};
use arrow::datatypes::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    TimestampNanosecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow::error::ArrowError;
use nervix_columns::text::{DateTimeText, Float, FloatText, bool_text, read_datetime};
use nervix_columns::{arrow_type, null_array};
use nspl_model::{CastError, DataType};

use crate::fault::Fault;
use crate::row_errors::RowErrors;

use super::CompileError;
use super::built::{TEXT_BYTES_MAX, boolean_rows, number_rows, text_rows};
use super::context::Context;
use super::operand::{Numbers, Texts, booleans_of, bytes_of};
use super::value::{Outcome, Value, wrong_type};

mod integers;
pub(super) mod number;
pub(super) mod read;

#[cfg(test)]
mod tests;

use integers::between_integers;
use number::{FromInteger, Real, real_to_integer};
use read::{read_bool, read_float, read_integer};

const OPERATION: &str = "AS";

/// A conversion between two types.
#[derive(Debug, Clone)]
pub(super) struct Cast {
    from: DataType,
    to: DataType,
    on_error: CastError,
}

impl Cast {
    /// A conversion that exists.
    pub(super) fn new(from: &DataType, to: &DataType, on_error: CastError) -> Result<Self, CompileError> {
        let texts = |data_type: &DataType| {
            data_type.is_numeric()
                || matches!(data_type, DataType::Bool | DataType::DateTime | DataType::Bytes)
        };
        let exists = from == to
            || (from.is_numeric() && to.is_numeric())
            || (*to == DataType::String && texts(from))
            || (*from == DataType::String && texts(to));
        if !exists {
            return Err(CompileError::Unsupported { operation: OPERATION });
        }
        Ok(Self {
            from: from.clone(),
            to: to.clone(),
            on_error,
        })
    }

    /// Converts each row.
    pub(super) fn apply(&self, value: &Value, context: &Context<'_>) -> Result<Outcome, ArrowError> {
        if self.from == self.to {
            return Ok(Outcome {
                value: value.clone(),
                errors: RowErrors::default(),
            });
        }
        if value.is_null_constant() {
            return Ok(Outcome::constant(null_array(&arrow_type(&self.to), 1)));
        }
        let mut outcome = match (&self.from, &self.to) {
            (from, DataType::String) => to_text(from, value, context)?,
            (DataType::String, to) => from_text(to, value, context)?,
            (from, to) => between_numbers(from, to, value, context)?,
        };
        if self.on_error == CastError::Null && !outcome.errors.is_empty() {
            outcome = outcome.settled(context)?;
            outcome.errors = RowErrors::default();
        }
        Ok(outcome)
    }
}

macro_rules! by_number {
    ($data_type:expr, $call:ident :: <_ $(, $with:ty)*> ( $($arg:expr),* )) => {
        match $data_type {
            DataType::I8 => $call::<Int8Type $(, $with)*>($($arg),*),
            DataType::I16 => $call::<Int16Type $(, $with)*>($($arg),*),
            DataType::I32 => $call::<Int32Type $(, $with)*>($($arg),*),
            DataType::I64 => $call::<Int64Type $(, $with)*>($($arg),*),
            DataType::U8 => $call::<UInt8Type $(, $with)*>($($arg),*),
            DataType::U16 => $call::<UInt16Type $(, $with)*>($($arg),*),
            DataType::U32 => $call::<UInt32Type $(, $with)*>($($arg),*),
            DataType::U64 => $call::<UInt64Type $(, $with)*>($($arg),*),
            _ => Err(wrong_type()),
        }
    };
}
pub(super) use by_number;

fn between_numbers(
    from: &DataType,
    to: &DataType,
    value: &Value,
    context: &Context<'_>,
) -> Result<Outcome, ArrowError> {
    match (from, to) {
        (from, to) if from.is_integer() && to.is_integer() => between_integers(from, to, value, context),
        (from, DataType::F32) if from.is_integer() => {
            by_number!(from, integer_to_float::<_, Float32Type>(value, context))
        }
        (from, DataType::F64) if from.is_integer() => {
            by_number!(from, integer_to_float::<_, Float64Type>(value, context))
        }
        (DataType::F32, DataType::F64) => {
            convert::<Float32Type, Float64Type>(value, context, |value| Some(f64::from(value)))
        }
        (DataType::F64, DataType::F32) => convert::<Float64Type, Float32Type>(value, context, |value| {
            let rounded = value as f32;
            (rounded.is_finite() || !value.is_finite()).then_some(rounded)
        }),
        (DataType::F32, to) => by_number!(to, float_to_integer::<_, Float32Type>(value, context)),
        (DataType::F64, to) => by_number!(to, float_to_integer::<_, Float64Type>(value, context)),
        _ => Err(wrong_type()),
    }
}

fn integer_to_float<F, T>(value: &Value, context: &Context<'_>) -> Result<Outcome, ArrowError>
where
    F: ArrowPrimitiveType,
    T: ArrowPrimitiveType,
    T::Native: Real,
    F::Native: Into<i128>,
{
    convert::<F, T>(value, context, |value| <T::Native as Real>::exactly(value.into()))
}

fn float_to_integer<T, F>(value: &Value, context: &Context<'_>) -> Result<Outcome, ArrowError>
where
    F: ArrowPrimitiveType,
    T: ArrowPrimitiveType,
    F::Native: Into<f64>,
    T::Native: FromInteger,
{
    convert::<F, T>(value, context, |value| real_to_integer(value.into()))
}

fn convert<F: ArrowPrimitiveType, T: ArrowPrimitiveType>(
    value: &Value,
    context: &Context<'_>,
    exactly: impl Fn(F::Native) -> Option<T::Native>,
) -> Result<Outcome, ArrowError> {
    let numbers = Numbers::<F>::of(value)?;
    number_rows::<T>(context, OPERATION, |row| match numbers.get(row) {
        None => Ok(None),
        Some(number) => exactly(number).map(Some).ok_or(Fault::OutOfRange),
    })
}

fn to_text(from: &DataType, value: &Value, context: &Context<'_>) -> Result<Outcome, ArrowError> {
    match from {
        DataType::Bytes => bytes_to_text(value, context),
        DataType::Bool => {
            let booleans = booleans_of(value)?;
            text_rows(context, OPERATION, |row, text| {
                if booleans.is_null(row) {
                    return Ok(None);
                }
                text.push_str(bool_text(booleans.value(row))).map(Some)
            })
        }
        DataType::DateTime => write_rows::<TimestampNanosecondType>(value, context, |instant, text| {
            text.push_str(DateTimeText::of(instant).as_str());
        }),
        DataType::F32 => write_rows::<Float32Type>(value, context, write_float),
        DataType::F64 => write_rows::<Float64Type>(value, context, write_float),
        integer => by_number!(integer, write_integers::<_>(value, context)),
    }
}

fn write_integers<T>(value: &Value, context: &Context<'_>) -> Result<Outcome, ArrowError>
where
    T: ArrowPrimitiveType,
    T::Native: itoa::Integer,
{
    write_rows::<T>(value, context, |number, text| {
        text.push_str(itoa::Buffer::new().format(number));
    })
}

fn write_rows<T: ArrowPrimitiveType>(
    value: &Value,
    context: &Context<'_>,
    write: impl Fn(T::Native, &mut String),
) -> Result<Outcome, ArrowError> {
    let numbers = Numbers::<T>::of(value)?;
    text_rows(context, OPERATION, |row, text| match numbers.get(row) {
        None => Ok(None),
        Some(number) => text.append_with(|column| write(number, column)).map(Some),
    })
}

fn write_float<T: Float>(value: T, text: &mut String) {
    text.push_str(FloatText::default().write(value));
}

fn bytes_to_text(value: &Value, context: &Context<'_>) -> Result<Outcome, ArrowError> {
    let bytes = bytes_of(value)?;
    // Where all of it together is short enough, each of it is.
    if bytes.value_data().len() <= TEXT_BYTES_MAX
        && let Ok(array) = StringArray::try_from_binary(bytes.clone())
    {
        let array: ArrayRef = Arc::new(array);
        return Ok(Outcome::rows(array));
    }
    text_rows(context, OPERATION, |row, text| {
        if bytes.is_null(row) {
            return Ok(None);
        }
        let read = std::str::from_utf8(bytes.value(row)).map_err(|_| Fault::NotUtf8)?;
        text.push_str(read).map(Some)
    })
}

fn from_text(to: &DataType, value: &Value, context: &Context<'_>) -> Result<Outcome, ArrowError> {
    match to {
        DataType::Bytes => {
            let text = value.array().as_string_opt::<i32>().ok_or_else(wrong_type)?;
            let array: ArrayRef = Arc::new(BinaryArray::from(text.clone()));
            Ok(Outcome::rows(array))
        }
        DataType::Bool => {
            let texts = Texts::of(value)?;
            boolean_rows(context, OPERATION, |row| {
                texts.get(row).map(read_bool).transpose()
            })
        }
        DataType::DateTime => {
            let texts = Texts::of(value)?;
            let outcome = number_rows::<TimestampNanosecondType>(context, OPERATION, |row| {
                Ok(texts.get(row).map(read_datetime).transpose()?)
            })?;
            in_utc(outcome)
        }
        DataType::F32 => read_rows::<Float32Type>(value, context, read_float),
        DataType::F64 => read_rows::<Float64Type>(value, context, read_float),
        to => by_number!(to, text_to_integers::<_>(value, context)),
    }
}

fn text_to_integers<T>(value: &Value, context: &Context<'_>) -> Result<Outcome, ArrowError>
where
    T: ArrowPrimitiveType,
    T::Native: FromInteger,
{
    read_rows::<T>(value, context, read_integer)
}

fn read_rows<T: ArrowPrimitiveType>(
    value: &Value,
    context: &Context<'_>,
    read: impl Fn(&str) -> Result<T::Native, Fault>,
) -> Result<Outcome, ArrowError> {
    let texts = Texts::of(value)?;
    number_rows::<T>(context, OPERATION, |row| texts.get(row).map(&read).transpose())
}

/// Gives a column of nanoseconds the zone that every DATETIME has.
pub(super) fn in_utc(outcome: Outcome) -> Result<Outcome, ArrowError> {
    let times = outcome
        .value
        .array()
        .as_primitive_opt::<TimestampNanosecondType>()
        .ok_or_else(wrong_type)?;
    let array: ArrayRef = Arc::new(times.clone().with_timezone("UTC"));
    Ok(Outcome {
        value: Value::Rows(array),
        errors: outcome.errors,
    })
}
