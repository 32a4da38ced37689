//! `= != < <= > >=` (rulings section 5): as in Postgres, NaN equals itself and is greater than every number, and
//! -0.0 equals 0.0. Text and bytes order by their bytes.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, ArrowPrimitiveType, BooleanArray};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::compute::kernels::cmp;
use arrow::datatypes::{DataType as ArrowType, Float32Type, Float64Type};
use arrow::error::ArrowError;
use nervix_columns::null_array;
use nspl_model::BinaryOp;

use super::operand::Numbers;
use super::value::{Outcome, Value, wrong_type};

#[cfg(test)]
mod tests;

/// The comparison of two operands of one type.
pub(super) fn compare(op: BinaryOp, left: &Value, right: &Value) -> Result<Outcome, ArrowError> {
    if left.is_null_constant() || right.is_null_constant() {
        return Ok(Outcome::constant(null_array(&ArrowType::Boolean, 1)));
    }
    let array = match left.array().data_type() {
        ArrowType::Float32 => compare_floats::<Float32Type>(op, left, right)?,
        ArrowType::Float64 => compare_floats::<Float64Type>(op, left, right)?,
        _ => {
            let (left, right) = (left.datum(), right.datum());
            match op {
                BinaryOp::Equal => cmp::eq(left.as_ref(), right.as_ref())?,
                BinaryOp::NotEqual => cmp::neq(left.as_ref(), right.as_ref())?,
                BinaryOp::Less => cmp::lt(left.as_ref(), right.as_ref())?,
                BinaryOp::LessOrEqual => cmp::lt_eq(left.as_ref(), right.as_ref())?,
                BinaryOp::Greater => cmp::gt(left.as_ref(), right.as_ref())?,
                BinaryOp::GreaterOrEqual => cmp::gt_eq(left.as_ref(), right.as_ref())?,
                _ => return Err(wrong_type()),
            }
        }
    };
    let array: ArrayRef = Arc::new(array);
    Ok(Outcome::rows(array))
}

/// The rows in which both are equal and neither is null.
pub(super) fn equal_rows(left: &Value, right: &Value, rows: usize) -> Result<BooleanBuffer, ArrowError> {
    let outcome = compare(BinaryOp::Equal, left, right)?;
    // Two constants give one row, which then stands for all.
    let value = match outcome.value {
        Value::Rows(array) if array.len() != rows => Value::Constant(array),
        value => value,
    };
    value.truth(rows)
}

trait Float: Copy + PartialOrd {
    fn is_nan(self) -> bool;
}

impl Float for f32 {
    fn is_nan(self) -> bool {
        self.is_nan()
    }
}

impl Float for f64 {
    fn is_nan(self) -> bool {
        self.is_nan()
    }
}

fn equal<F: Float>(left: F, right: F) -> bool {
    (left == right) | (left.is_nan() & right.is_nan())
}

fn less<F: Float>(left: F, right: F) -> bool {
    (left < right) | (!left.is_nan() & right.is_nan())
}

fn compare_floats<T>(op: BinaryOp, left: &Value, right: &Value) -> Result<BooleanArray, ArrowError>
where
    T: ArrowPrimitiveType,
    T::Native: Float,
{
    let operands = (Numbers::<T>::of(left)?, Numbers::<T>::of(right)?);
    match op {
        BinaryOp::Equal => compare_rows(operands, equal),
        BinaryOp::NotEqual => compare_rows(operands, |left, right| !equal(left, right)),
        BinaryOp::Less => compare_rows(operands, less),
        BinaryOp::LessOrEqual => compare_rows(operands, |left, right| !less(right, left)),
        BinaryOp::Greater => compare_rows(operands, |left, right| less(right, left)),
        BinaryOp::GreaterOrEqual => compare_rows(operands, |left, right| !less(left, right)),
        _ => Err(wrong_type()),
    }
}

fn compare_rows<T: ArrowPrimitiveType>(
    operands: (Numbers<'_, T>, Numbers<'_, T>),
    holds: impl Fn(T::Native, T::Native) -> bool,
) -> Result<BooleanArray, ArrowError> {
    let (bits, nulls) = match operands {
        (Numbers::Rows(left), Numbers::Rows(right)) => {
            if left.len() != right.len() {
                return Err(wrong_type());
            }
            let (a, b) = (left.values(), right.values());
            (
                BooleanBuffer::collect_bool(a.len(), |row| holds(a[row], b[row])),
                NullBuffer::union(left.nulls(), right.nulls()),
            )
        }
        (Numbers::Rows(left), Numbers::Constant(Some(right))) => {
            let a = left.values();
            (
                BooleanBuffer::collect_bool(a.len(), |row| holds(a[row], right)),
                left.nulls().cloned(),
            )
        }
        (Numbers::Constant(Some(left)), Numbers::Rows(right)) => {
            let b = right.values();
            (
                BooleanBuffer::collect_bool(b.len(), |row| holds(left, b[row])),
                right.nulls().cloned(),
            )
        }
        (Numbers::Constant(Some(left)), Numbers::Constant(Some(right))) => {
            (BooleanBuffer::collect_bool(1, |_| holds(left, right)), None)
        }
        _ => return Err(wrong_type()),
    };
    Ok(BooleanArray::new(bits, nulls))
}
