//! IF and both forms of CASE (companion section 4): the first match wins, and an error in an arm or condition
//! that a row does not reach does not count.

use arrow::array::{Array, ArrayRef, BooleanArray};
use arrow::buffer::BooleanBuffer;
use arrow::compute::interleave;
use arrow::compute::kernels::zip::zip;
use arrow::error::ArrowError;
use nervix_columns::{logical_array_bytes, null_array};

use crate::row_errors::RowErrors;

use super::comparison::equal_rows;
use super::context::Context;
use super::node::Node;
use super::value::{Outcome, Value, wrong_type};

#[cfg(test)]
mod tests;

/// A compiled CASE. IF is one with a single arm.
#[derive(Debug)]
pub(super) struct Case {
    /// What a simple CASE compares.
    pub(super) operand: Option<Node>,
    pub(super) arms: Vec<Arm>,
    /// ELSE, or a typed null.
    pub(super) otherwise: Node,
}

/// WHEN and THEN.
#[derive(Debug)]
pub(super) struct Arm {
    pub(super) when: Node,
    pub(super) then: Node,
}

/// Picks for each row the value of the first arm that matches.
pub(super) fn case(case: &Case, context: &Context<'_>) -> Result<Outcome, ArrowError> {
    let rows = context.rows();
    let mut errors = RowErrors::default();
    let mut open = context.selection();
    let operand = match &case.operand {
        Some(operand) => {
            let operand = operand.evaluate(context)?;
            open = without(&open, &operand.errors, rows);
            errors = operand.errors;
            Some(operand.value)
        }
        None => None,
    };
    let mut picks = Picks::default();
    for arm in &case.arms {
        if open.count_set_bits() == 0 {
            break;
        }
        let when = arm.when.evaluate(&context.narrowed(&open))?;
        let hit = match &operand {
            Some(operand) => equal_rows(operand, &when.value, rows)?,
            None => when.value.truth(rows)?,
        };
        let hit = without(&(&hit & &open), &when.errors, rows);
        open = &without(&open, &when.errors, rows) & &!&hit;
        errors = errors.merge(when.errors);
        errors = errors.merge(picks.take(&arm.then, hit, context)?);
    }
    errors = errors.merge(picks.take(&case.otherwise, open, context)?);
    let value = picks.merge(rows, &case.otherwise, context)?;
    Ok(Outcome { value, errors })
}

fn without(mask: &BooleanBuffer, errors: &RowErrors, rows: usize) -> BooleanBuffer {
    if errors.is_empty() {
        mask.clone()
    } else {
        mask & &!&errors.mask(rows)
    }
}

/// The arms that some row picked, and which rows.
#[derive(Default)]
pub(super) struct Picks {
    chosen: Vec<(Value, BooleanBuffer)>,
}

impl Picks {
    /// Evaluates an arm for the rows that picked it.
    fn take(
        &mut self,
        node: &Node,
        hit: BooleanBuffer,
        context: &Context<'_>,
    ) -> Result<RowErrors, ArrowError> {
        if hit.count_set_bits() == 0 {
            return Ok(RowErrors::default());
        }
        let then = node.evaluate(&context.narrowed(&hit))?;
        self.add(then.value, hit);
        Ok(then.errors)
    }

    /// Whether no row has picked anything yet.
    pub(super) fn is_empty(&self) -> bool {
        self.chosen.is_empty()
    }

    /// Gives these rows a null of the type that others have.
    pub(super) fn add_null(&mut self, rows: BooleanBuffer) -> Result<(), ArrowError> {
        let (value, _) = self.chosen.first().ok_or_else(wrong_type)?;
        let null = null_array(value.array().data_type(), 1);
        self.add(Value::Constant(null), rows);
        Ok(())
    }

    /// Takes the value of these rows.
    pub(super) fn add(&mut self, value: Value, rows: BooleanBuffer) {
        self.chosen.push((value, rows));
    }

    /// The picked values as one column; a row that picked nothing has no meaning.
    fn merge(self, rows: usize, like: &Node, context: &Context<'_>) -> Result<Value, ArrowError> {
        if self.chosen.is_empty() {
            // No row is selected, or every row failed: whatever has the right type will do.
            let none = BooleanBuffer::new_unset(rows);
            return Ok(like.evaluate(&context.narrowed(&none))?.value);
        }
        self.merged(rows)
    }

    /// The picked values as one column. At least one was added.
    pub(super) fn merged(mut self, rows: usize) -> Result<Value, ArrowError> {
        match self.chosen.len() {
            1 => self.chosen.pop().map(|(value, _)| value).ok_or_else(wrong_type),
            2 => {
                let (second, _) = self.chosen.pop().ok_or_else(wrong_type)?;
                let (first, hit) = self.chosen.pop().ok_or_else(wrong_type)?;
                zip_values(&BooleanArray::new(hit, None), &first, &second).map(Value::Rows)
            }
            _ => self.interleaved(rows),
        }
    }

    fn interleaved(self, rows: usize) -> Result<Value, ArrowError> {
        let mut places: Vec<(usize, usize)> = vec![(0, 0); rows];
        for (which, (value, hit)) in self.chosen.iter().enumerate() {
            for row in hit.set_indices() {
                if let Some(place) = places.get_mut(row) {
                    *place = (which, if value.is_constant() { 0 } else { row });
                }
            }
        }
        let arrays: Vec<&dyn Array> = self
            .chosen
            .iter()
            .map(|(value, _)| value.array().as_ref())
            .collect();
        interleave(&arrays, &places).map(Value::Rows)
    }
}

fn zip_values(mask: &BooleanArray, first: &Value, second: &Value) -> Result<ArrayRef, ArrowError> {
    let most = |value: &Value| {
        let bytes = logical_array_bytes(value.array());
        if value.is_constant() {
            bytes.saturating_mul(mask.len() as u64)
        } else {
            bytes
        }
    };
    // Offsets have 32 bits, and the kernel does not check them.
    if most(first).saturating_add(most(second)) > i32::MAX as u64 {
        return Err(ArrowError::OffsetOverflowError(mask.len()));
    }
    zip(mask, first.datum().as_ref(), second.datum().as_ref())
}
