//! WHERE: keeps a row only when its condition is true (companion section 4).

use std::sync::Arc;

use arrow::array::{Array, AsArray};
use arrow::buffer::BooleanBuffer;
use nspl_model::record_error::Operation;
use nspl_model::{DataType, Expr};

use crate::failure::{Failure, FailureSite};
use crate::frame::Frame;
use crate::program::{CompileError, Program};

#[cfg(test)]
mod tests;

/// A compiled condition.
#[derive(Debug, Clone)]
pub struct Predicate {
    program: Program,
    site: Arc<FailureSite>,
}

/// What a condition says of each row.
#[derive(Debug, Clone)]
pub struct Filtered {
    /// One bit a row: whether the condition is true.
    pub keep: BooleanBuffer,
    /// The rows whose condition failed, ascending; none of them is kept.
    pub failures: Vec<Failure>,
}

impl Filtered {
    /// Whether every row is kept.
    pub fn keeps_all(&self) -> bool {
        self.keep.count_set_bits() == self.keep.len()
    }

    /// The failed rows as a mask.
    pub fn failed(&self) -> BooleanBuffer {
        failed_mask(&self.failures, self.keep.len())
    }
}

impl Predicate {
    /// Compiles a condition; `operation` is `filter` for a source's WHERE and `route` for a route's.
    ///
    /// # Errors
    /// When the expression is not one that the checker lets through.
    pub fn compile(expr: &Expr, operation: Operation) -> Result<Self, CompileError> {
        if expr.data_type != DataType::Bool {
            return Err(CompileError::Type {
                expected: DataType::Bool,
                found: expr.data_type.clone(),
            });
        }
        let site = FailureSite::of_expression(operation, None, expr);
        Ok(Self {
            program: Program::compile(expr)?,
            site,
        })
    }

    /// Judges every row of the frame.
    pub fn keep(&self, frame: &Frame<'_>) -> Filtered {
        self.keep_among(frame, None)
    }

    /// Judges the rows that `among` names; the others are not kept and cannot fail.
    pub(crate) fn keep_among(&self, frame: &Frame<'_>, among: Option<&BooleanBuffer>) -> Filtered {
        let evaluated = self.program.evaluate_among(frame, among);
        let failures = evaluated
            .errors
            .iter()
            .map(|(row, error)| Failure::of_evaluation(row, self.site.clone(), error))
            .collect();
        let truth = evaluated.array.as_boolean_opt().map(|truth| match truth.nulls() {
            None => truth.values().clone(),
            Some(nulls) => truth.values() & nulls.inner(),
        });
        let truth = truth.unwrap_or_else(|| BooleanBuffer::new_unset(frame.rows));
        let keep = among.map_or_else(|| truth.clone(), |among| &truth & among);
        Filtered { keep, failures }
    }
}

/// The rows of failures as a mask.
pub(crate) fn failed_mask(failures: &[Failure], rows: usize) -> BooleanBuffer {
    let mut bits = arrow::array::BooleanBufferBuilder::new(rows);
    bits.append_n(rows, false);
    for failure in failures {
        if (failure.row as usize) < rows {
            bits.set_bit(failure.row as usize, true);
        }
    }
    bits.finish()
}
