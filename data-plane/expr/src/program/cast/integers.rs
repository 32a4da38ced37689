//! Integers to integers: the number when the type has it, else an error of the record.
//!
//! The loop converts every row and only remembers whether some number did not fit, so that it can become vector instructions;
//! which ones is looked up afterwards.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, PrimitiveArray};
use arrow::datatypes::{
    ArrowPrimitiveType, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow::error::ArrowError;
use nspl_model::DataType;

use super::OPERATION;
use crate::fault::{EvalError, Fault};
use crate::program::context::Context;
use crate::program::value::{Outcome, Value, wrong_type};
use crate::row_errors::RowErrors;

macro_rules! by_target {
    ($from:ty, $to:expr, $value:expr, $context:expr) => {
        match $to {
            DataType::I8 => narrow::<$from, Int8Type>($value, $context),
            DataType::I16 => narrow::<$from, Int16Type>($value, $context),
            DataType::I32 => narrow::<$from, Int32Type>($value, $context),
            DataType::I64 => narrow::<$from, Int64Type>($value, $context),
            DataType::U8 => narrow::<$from, UInt8Type>($value, $context),
            DataType::U16 => narrow::<$from, UInt16Type>($value, $context),
            DataType::U32 => narrow::<$from, UInt32Type>($value, $context),
            DataType::U64 => narrow::<$from, UInt64Type>($value, $context),
            _ => Err(wrong_type()),
        }
    };
}

/// Converts each row.
pub(super) fn between_integers(
    from: &DataType,
    to: &DataType,
    value: &Value,
    context: &Context<'_>,
) -> Result<Outcome, ArrowError> {
    match from {
        DataType::I8 => by_target!(Int8Type, to, value, context),
        DataType::I16 => by_target!(Int16Type, to, value, context),
        DataType::I32 => by_target!(Int32Type, to, value, context),
        DataType::I64 => by_target!(Int64Type, to, value, context),
        DataType::U8 => by_target!(UInt8Type, to, value, context),
        DataType::U16 => by_target!(UInt16Type, to, value, context),
        DataType::U32 => by_target!(UInt32Type, to, value, context),
        DataType::U64 => by_target!(UInt64Type, to, value, context),
        _ => Err(wrong_type()),
    }
}

fn narrow<F, T>(value: &Value, context: &Context<'_>) -> Result<Outcome, ArrowError>
where
    F: ArrowPrimitiveType,
    T: ArrowPrimitiveType,
    T::Native: TryFrom<F::Native>,
{
    let numbers = value.array().as_primitive_opt::<F>().ok_or_else(wrong_type)?;
    let mut failed = false;
    let converted = numbers.values().iter().map(|number| {
        let fitting = T::Native::try_from(*number);
        failed |= fitting.is_err();
        fitting.unwrap_or_default()
    });
    let converted: Vec<T::Native> = converted.collect();
    let mut errors = RowErrors::default();
    if failed {
        let fails = |row: &usize| {
            context.selects(*row)
                && numbers.is_valid(*row)
                && T::Native::try_from(numbers.value(*row)).is_err()
        };
        let error = EvalError {
            fault: Fault::OutOfRange,
            operation: OPERATION,
        };
        errors = RowErrors::of_rows((0..numbers.len()).filter(fails), error);
    }
    let array: ArrayRef = Arc::new(PrimitiveArray::<T>::try_new(
        converted.into(),
        numbers.nulls().cloned(),
    )?);
    Ok(Outcome {
        value: Value::Rows(array),
        errors,
    })
}
