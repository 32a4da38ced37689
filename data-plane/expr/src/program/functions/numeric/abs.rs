//! `abs`.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray};
use arrow::datatypes::{
    DataType as ArrowType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
};
use arrow::error::ArrowError;
use nspl_model::Function;

use super::super::call::Args;
use super::super::reference::Sample::{F64, Fails, I8, I64, NullI64, U64};
use super::super::reference::{Entry, example};
use crate::fault::Fault;
use crate::program::built::number_rows;
use crate::program::operand::Numbers;
use crate::program::value::{Outcome, Value, wrong_type};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    function: Function::Abs,
    summary: "The number without its sign, in its type.",
    examples: &[
        example(&[I64(-5)], I64(5)),
        example(&[U64(5)], U64(5)),
        example(&[F64(-0.5)], F64(0.5)),
        example(&[I8(i8::MIN)], Fails(Fault::Overflow)),
        example(&[I64(i64::MIN)], Fails(Fault::Overflow)),
        example(&[NullI64], NullI64),
    ],
    kernel: abs,
}];

fn abs(args: &Args<'_>) -> Result<Outcome, ArrowError> {
    let value = args.value(0)?;
    let array = value.array();
    match array.data_type() {
        ArrowType::Int8 => integers::<Int8Type>(args, i8::checked_abs),
        ArrowType::Int16 => integers::<Int16Type>(args, i16::checked_abs),
        ArrowType::Int32 => integers::<Int32Type>(args, i32::checked_abs),
        ArrowType::Int64 => integers::<Int64Type>(args, i64::checked_abs),
        ArrowType::Float32 => {
            let floats = array.as_primitive_opt::<Float32Type>().ok_or_else(wrong_type)?;
            Ok(like(value, Arc::new(floats.unary::<_, Float32Type>(f32::abs))))
        }
        ArrowType::Float64 => {
            let floats = array.as_primitive_opt::<Float64Type>().ok_or_else(wrong_type)?;
            Ok(like(value, Arc::new(floats.unary::<_, Float64Type>(f64::abs))))
        }
        _ => Ok(like(value, array.clone())),
    }
}

fn integers<T: ArrowPrimitiveType>(
    args: &Args<'_>,
    checked: impl Fn(T::Native) -> Option<T::Native>,
) -> Result<Outcome, ArrowError> {
    let numbers = Numbers::<T>::of(args.value(0)?)?;
    number_rows::<T>(args.context, args.name, |row| match numbers.get(row) {
        None => Ok(None),
        Some(number) => checked(number).map(Some).ok_or(Fault::Overflow),
    })
}

fn like(value: &Value, array: ArrayRef) -> Outcome {
    match value {
        Value::Rows(_) => Outcome::rows(array),
        Value::Constant(_) => Outcome::constant(array),
    }
}
