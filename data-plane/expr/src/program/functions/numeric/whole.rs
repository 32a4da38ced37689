//! `ceil`, `floor` and `round` of a float; an integer is whole already.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{DataType as ArrowType, Float32Type, Float64Type};
use arrow::error::ArrowError;

use super::super::call::Args;
use crate::program::value::{Outcome, Value, wrong_type};

/// Makes floats whole, in their own type.
pub(super) fn whole(
    args: &Args<'_>,
    narrow: impl Fn(f32) -> f32,
    wide: impl Fn(f64) -> f64,
) -> Result<Outcome, ArrowError> {
    let value = args.value(0)?;
    let array = value.array();
    let result: ArrayRef = match array.data_type() {
        ArrowType::Float32 => {
            let floats = array.as_primitive_opt::<Float32Type>().ok_or_else(wrong_type)?;
            Arc::new(floats.unary::<_, Float32Type>(narrow))
        }
        ArrowType::Float64 => {
            let floats = array.as_primitive_opt::<Float64Type>().ok_or_else(wrong_type)?;
            Arc::new(floats.unary::<_, Float64Type>(wide))
        }
        _ => array.clone(),
    };
    Ok(match value {
        Value::Rows(_) => Outcome::rows(result),
        Value::Constant(_) => Outcome::constant(result),
    })
}
