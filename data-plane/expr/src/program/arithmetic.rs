//! `+ - * / %` and unary minus in the exact type of their operands (rulings section 5).
//!
//! Each loop computes every row and only remembers whether some row overflowed; which ones, and why, is looked
//! up afterwards, so that columns without a fault pay nothing for it.

use std::ops::BitOrAssign;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{
    DataType as ArrowType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow::error::ArrowError;
use nspl_model::{BinaryOp, DataType};

use crate::fault::{EvalError, Fault};
use crate::row_errors::RowErrors;

use super::context::Context;
use super::operand::Numbers;
use super::value::{Outcome, Value, wrong_type};
use scale::{Scale, scaled};

mod scale;
#[cfg(test)]
mod tests;

/// A number type: each operation gives the result and a mark of whether it is none.
///
/// The marks of many rows are joined by `|`, which says whether some row failed. Where an operation has to look at its
/// operands' bits alone, so does its mark: then the loop over a column becomes vector instructions.
trait Number: Scale + Default {
    type Mark: Copy + Default + BitOrAssign;
    fn failed(mark: Self::Mark) -> bool;
    fn add(self, other: Self) -> (Self, Self::Mark);
    fn subtract(self, other: Self) -> (Self, Self::Mark);
    fn multiply(self, other: Self) -> (Self, Self::Mark);
    fn divide(self, other: Self) -> (Self, Self::Mark);
    fn remainder(self, other: Self) -> (Self, Self::Mark);
    fn negate(self) -> (Self, Self::Mark);
    fn is_zero(self) -> bool;
}

macro_rules! integer {
    ($($type:ty, $sum:expr, $difference:expr);*) => {$(
        impl Number for $type {
            /// Its highest bit counts.
            type Mark = $type;

            fn failed(mark: Self) -> bool {
                mark >> (Self::BITS - 1) != 0
            }
            fn add(self, other: Self) -> (Self, Self) {
                let sum = self.wrapping_add(other);
                (sum, $sum(self, other, sum))
            }
            fn subtract(self, other: Self) -> (Self, Self) {
                let difference = self.wrapping_sub(other);
                (difference, $difference(self, other, difference))
            }
            fn multiply(self, other: Self) -> (Self, Self) {
                let (product, fails) = self.overflowing_mul(other);
                (product, Self::from(fails) << (Self::BITS - 1))
            }
            fn divide(self, other: Self) -> (Self, Self) {
                let fails = 1 << (Self::BITS - 1);
                self.checked_div(other).map_or((0, fails), |result| (result, 0))
            }
            fn remainder(self, other: Self) -> (Self, Self) {
                // The least number by -1 leaves 0, though the division itself overflows.
                if other == 0 {
                    (0, 1 << (Self::BITS - 1))
                } else {
                    (self.wrapping_rem(other), 0)
                }
            }
            fn negate(self) -> (Self, Self) {
                let (result, fails) = self.overflowing_neg();
                (result, Self::from(fails) << (Self::BITS - 1))
            }
            fn is_zero(self) -> bool {
                self == 0
            }
        }
    )*};
}

macro_rules! signed {
    ($($type:ty),*) => {
        integer!($(
            $type,
            // Both operands have one sign and the sum the other; the operands differ and the result is not of the first's sign.
            |a: $type, b: $type, sum: $type| (a ^ sum) & (b ^ sum),
            |a: $type, b: $type, difference: $type| (a ^ b) & (a ^ difference)
        );*);
    };
}

macro_rules! unsigned {
    ($($type:ty),*) => {
        integer!($(
            $type,
            // What the highest bit carries, and borrows.
            |a: $type, b: $type, sum: $type| (a & b) | ((a | b) & !sum),
            |a: $type, b: $type, difference: $type| (!a & b) | ((!a | b) & difference)
        );*);
    };
}

macro_rules! float {
    ($($type:ty),*) => {$(
        impl Number for $type {
            type Mark = bool;

            fn failed(mark: bool) -> bool {
                mark
            }
            fn add(self, other: Self) -> (Self, bool) {
                (self + other, false)
            }
            fn subtract(self, other: Self) -> (Self, bool) {
                (self - other, false)
            }
            fn multiply(self, other: Self) -> (Self, bool) {
                (self * other, false)
            }
            fn divide(self, other: Self) -> (Self, bool) {
                (self / other, other == 0.0)
            }
            fn remainder(self, other: Self) -> (Self, bool) {
                (self % other, other == 0.0)
            }
            fn negate(self) -> (Self, bool) {
                (-self, false)
            }
            fn is_zero(self) -> bool {
                self == 0.0
            }
        }
    )*};
}

signed!(i8, i16, i32, i64);
unsigned!(u8, u16, u32, u64);
float!(f32, f64);

macro_rules! by_number_type {
    ($array:expr, $call:ident ( $($arg:expr),* )) => {
        match $array.data_type() {
            ArrowType::Int8 => $call::<Int8Type>($($arg),*),
            ArrowType::Int16 => $call::<Int16Type>($($arg),*),
            ArrowType::Int32 => $call::<Int32Type>($($arg),*),
            ArrowType::Int64 => $call::<Int64Type>($($arg),*),
            ArrowType::UInt8 => $call::<UInt8Type>($($arg),*),
            ArrowType::UInt16 => $call::<UInt16Type>($($arg),*),
            ArrowType::UInt32 => $call::<UInt32Type>($($arg),*),
            ArrowType::UInt64 => $call::<UInt64Type>($($arg),*),
            ArrowType::Float32 => $call::<Float32Type>($($arg),*),
            ArrowType::Float64 => $call::<Float64Type>($($arg),*),
            _ => Err(wrong_type()),
        }
    };
}

/// Whether the operators are defined for a type.
pub(super) fn is_arithmetic(data_type: &DataType) -> bool {
    data_type.is_numeric()
}

/// One of the five operators over two operands of one type.
pub(super) fn arithmetic(
    op: BinaryOp,
    left: &Value,
    right: &Value,
    context: &Context<'_>,
) -> Result<Outcome, ArrowError> {
    by_number_type!(left.array(), arithmetic_of(op, left, right, context))
}

/// Unary minus.
pub(super) fn negate(operand: &Value, context: &Context<'_>) -> Result<Outcome, ArrowError> {
    by_number_type!(operand.array(), negate_of(operand, context))
}

fn arithmetic_of<T>(
    op: BinaryOp,
    left: &Value,
    right: &Value,
    context: &Context<'_>,
) -> Result<Outcome, ArrowError>
where
    T: ArrowPrimitiveType,
    T::Native: Number,
{
    if left.is_null_constant() {
        return Ok(Outcome::constant(left.array().clone()));
    }
    if right.is_null_constant() {
        return Ok(Outcome::constant(right.array().clone()));
    }
    let operands = (Numbers::<T>::of(left)?, Numbers::<T>::of(right)?);
    let symbol = op.symbol();
    match op {
        BinaryOp::Add => combine(operands, symbol, context, Number::add),
        BinaryOp::Subtract => combine(operands, symbol, context, Number::subtract),
        BinaryOp::Multiply => match scaled_column(&operands) {
            Some((products, nulls)) => primitive::<T>(products, nulls, RowErrors::default()),
            None => combine(operands, symbol, context, Number::multiply),
        },
        BinaryOp::Divide => combine(operands, symbol, context, Number::divide),
        BinaryOp::Remainder => combine(operands, symbol, context, Number::remainder),
        _ => Err(wrong_type()),
    }
}

/// The products of a column and one number where none can overflow.
fn scaled_column<T>(
    operands: &(Numbers<'_, T>, Numbers<'_, T>),
) -> Option<(Vec<T::Native>, Option<NullBuffer>)>
where
    T: ArrowPrimitiveType,
    T::Native: Number,
{
    match operands {
        (Numbers::Rows(numbers), Numbers::Constant(Some(factor)))
        | (Numbers::Constant(Some(factor)), Numbers::Rows(numbers)) => {
            Some((scaled(numbers, *factor)?, numbers.nulls().cloned()))
        }
        _ => None,
    }
}

/// A result and its mark.
type Marked<T> = (
    <T as ArrowPrimitiveType>::Native,
    <<T as ArrowPrimitiveType>::Native as Number>::Mark,
);

/// A loop per shape, so that each can become vector instructions.
fn combine<T>(
    (left, right): (Numbers<'_, T>, Numbers<'_, T>),
    operation: &'static str,
    context: &Context<'_>,
    apply: impl Fn(T::Native, T::Native) -> Marked<T>,
) -> Result<Outcome, ArrowError>
where
    T: ArrowPrimitiveType,
    T::Native: Number,
{
    let mut marks = <T::Native as Number>::Mark::default();
    let mut note = |(result, mark): Marked<T>| {
        marks |= mark;
        result
    };
    let (values, nulls): (Vec<T::Native>, Option<NullBuffer>) = match (&left, &right) {
        (Numbers::Rows(left), Numbers::Rows(right)) => {
            let pairs = left.values().iter().zip(right.values().iter());
            let values = pairs.map(|(left, right)| note(apply(*left, *right))).collect();
            (values, NullBuffer::union(left.nulls(), right.nulls()))
        }
        (Numbers::Rows(left), Numbers::Constant(Some(right))) => {
            let values = left
                .values()
                .iter()
                .map(|left| note(apply(*left, *right)))
                .collect();
            (values, left.nulls().cloned())
        }
        (Numbers::Constant(Some(left)), Numbers::Rows(right)) => {
            let values = right
                .values()
                .iter()
                .map(|right| note(apply(*left, *right)))
                .collect();
            (values, right.nulls().cloned())
        }
        (Numbers::Constant(Some(left)), Numbers::Constant(Some(right))) => {
            (vec![note(apply(*left, *right))], None)
        }
        _ => return Err(wrong_type()),
    };
    let errors = if T::Native::failed(marks) {
        let faults = (0..values.len()).filter_map(|row| {
            let (left, right) = (left.get(row)?, right.get(row)?);
            let divides = operation == "/" || operation == "%";
            let fault = if divides && right.is_zero() {
                Fault::DivisionByZero
            } else {
                Fault::Overflow
            };
            (context.selects(row) && T::Native::failed(apply(left, right).1)).then_some((row, fault))
        });
        collect(faults, operation)
    } else {
        RowErrors::default()
    };
    primitive::<T>(values, nulls, errors)
}

fn negate_of<T>(operand: &Value, context: &Context<'_>) -> Result<Outcome, ArrowError>
where
    T: ArrowPrimitiveType,
    T::Native: Number,
{
    if operand.is_null_constant() {
        return Ok(Outcome::constant(operand.array().clone()));
    }
    let array = operand
        .array()
        .as_any()
        .downcast_ref::<PrimitiveArray<T>>()
        .ok_or_else(wrong_type)?;
    let mut marks = <T::Native as Number>::Mark::default();
    let values = array.values().iter().map(|value| {
        let (result, mark) = value.negate();
        marks |= mark;
        result
    });
    let values: Vec<T::Native> = values.collect();
    let errors = if T::Native::failed(marks) {
        let fails = |row: &usize| array.is_valid(*row) && T::Native::failed(array.value(*row).negate().1);
        let rows = (0..array.len()).filter(|row| context.selects(*row)).filter(fails);
        collect(rows.map(|row| (row, Fault::Overflow)), "-")
    } else {
        RowErrors::default()
    };
    primitive::<T>(values, array.nulls().cloned(), errors)
}

fn collect(faults: impl Iterator<Item = (usize, Fault)>, operation: &'static str) -> RowErrors {
    let mut errors = RowErrors::default();
    for (row, fault) in faults {
        errors.push(row, EvalError { fault, operation });
    }
    errors
}

fn primitive<T: ArrowPrimitiveType>(
    values: Vec<T::Native>,
    nulls: Option<NullBuffer>,
    errors: RowErrors,
) -> Result<Outcome, ArrowError> {
    let array: ArrayRef = Arc::new(PrimitiveArray::<T>::try_new(values.into(), nulls)?);
    Ok(Outcome {
        value: Value::Rows(array),
        errors,
    })
}
