//! Three-valued AND, OR and NOT (companion section 4, rulings section 5).
//!
//! An error in one operand does not count where the other alone decides, on either side.

use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::compute::{and_kleene, or_kleene};
use arrow::error::ArrowError;

use super::context::Context;
use super::node::Node;
use super::operand::booleans_of;
use super::value::{Outcome, Value, wrong_type};

#[cfg(test)]
mod tests;

/// `left AND right`: FALSE decides.
pub(super) fn and(left: &Node, right: &Node, context: &Context<'_>) -> Result<Outcome, ArrowError> {
    connect(left, right, context, false)
}

/// `left OR right`: TRUE decides.
pub(super) fn or(left: &Node, right: &Node, context: &Context<'_>) -> Result<Outcome, ArrowError> {
    connect(left, right, context, true)
}

/// `NOT operand`; the operand's null stays null.
pub(super) fn not(operand: &Value) -> Result<Outcome, ArrowError> {
    let array: ArrayRef = Arc::new(arrow::compute::not(booleans_of(operand)?)?);
    Ok(match operand {
        Value::Rows(_) => Outcome::rows(array),
        Value::Constant(_) => Outcome::constant(array),
    })
}

fn connect(left: &Node, right: &Node, context: &Context<'_>, decisive: bool) -> Result<Outcome, ArrowError> {
    let rows = context.rows();
    let left = left.evaluate(context)?;
    let open = &context.selection() & &!&left.value.is(decisive, rows)?;
    if open.count_set_bits() == 0 {
        // Every row is decided, so no row of it failed.
        return Ok(left);
    }
    let right = right.evaluate(&context.narrowed(&open))?;
    let mut errors = left.errors;
    if !errors.is_empty() {
        let decides = right.value.is(decisive, rows)?;
        // A right side that failed is null there, so it decides nothing.
        errors.retain(|row| !decides.value(row));
    }
    let errors = errors.merge(right.errors);
    let (left, right) = (left.value.into_rows(rows)?, right.value.into_rows(rows)?);
    let (left, right) = (Value::Rows(left), Value::Rows(right));
    let (left, right) = (booleans_of(&left)?, booleans_of(&right)?);
    if left.len() != rows || right.len() != rows {
        return Err(wrong_type());
    }
    let array = if decisive {
        or_kleene(left, right)?
    } else {
        and_kleene(left, right)?
    };
    Ok(Outcome {
        value: Value::Rows(Arc::new(array)),
        errors,
    })
}
