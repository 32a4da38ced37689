//! `= != < <= > >=` (rulings section 5): as in Postgres, NaN equals itself and is greater than every number, and
//! -0.0 equals 0.0. Text and bytes order by their bytes.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef};
use arrow::buffer::BooleanBuffer;
use arrow::compute::kernels::cmp;
use arrow::datatypes::{
    DataType as ArrowType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    TimestampNanosecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow::error::ArrowError;
use nervix_columns::null_array;
use nspl_model::BinaryOp;

use super::value::{Outcome, Value, wrong_type};

mod numbers;
#[cfg(test)]
mod tests;

/// The comparison of two operands of one type.
pub(super) fn compare(op: BinaryOp, left: &Value, right: &Value) -> Result<Outcome, ArrowError> {
    if left.is_null_constant() || right.is_null_constant() {
        return Ok(Outcome::constant(null_array(&ArrowType::Boolean, 1)));
    }
    let array = match left.array().data_type() {
        ArrowType::Int8 => numbers::compare::<Int8Type>(op, left, right)?,
        ArrowType::Int16 => numbers::compare::<Int16Type>(op, left, right)?,
        ArrowType::Int32 => numbers::compare::<Int32Type>(op, left, right)?,
        ArrowType::Int64 => numbers::compare::<Int64Type>(op, left, right)?,
        ArrowType::UInt8 => numbers::compare::<UInt8Type>(op, left, right)?,
        ArrowType::UInt16 => numbers::compare::<UInt16Type>(op, left, right)?,
        ArrowType::UInt32 => numbers::compare::<UInt32Type>(op, left, right)?,
        ArrowType::UInt64 => numbers::compare::<UInt64Type>(op, left, right)?,
        ArrowType::Float32 => numbers::compare::<Float32Type>(op, left, right)?,
        ArrowType::Float64 => numbers::compare::<Float64Type>(op, left, right)?,
        ArrowType::Timestamp(..) => numbers::compare::<TimestampNanosecondType>(op, left, right)?,
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
