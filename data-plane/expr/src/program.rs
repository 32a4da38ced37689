//! A compiled expression.
//!
//! Compiling resolves functions, compiles constant patterns and computes constant parts once; evaluating runs
//! over whole columns. What fails only on some rows is reported beside the column.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef};
use arrow::buffer::BooleanBuffer;
use arrow::error::ArrowError;
use nervix_columns::{arrow_type, null_array};
use nspl_model::{DataType, Expr};

use crate::fault::EvalError;
use crate::frame::Frame;
use crate::row_errors::RowErrors;

mod arithmetic;
mod built;
mod case;
mod cast;
mod column;
mod comparison;
mod compile;
mod context;
mod functions;
mod json;
mod literal;
mod logic;
mod node;
mod operand;
mod value;

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

pub use functions::reference::{Entry, Example, Family, Sample, families, reference};

use context::Context;
use node::Node;

/// Why an expression could not be compiled. None of these is the record's doing: the checker refuses them first.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// An expression, or a part of one, has another type than its place asks for.
    #[error("an expression is {found} where {expected} is expected")]
    Type {
        /// What the place asks for.
        expected: DataType,
        /// What the expression is.
        found: DataType,
    },
    /// An operator, cast or function has no meaning for the types it is used with.
    #[error("{operation} is not defined for the types it is used with")]
    Unsupported {
        /// The operator or function.
        operation: &'static str,
    },
    /// A literal does not have the type of its expression.
    #[error("a literal does not have the type of its place")]
    Literal,
    /// A step writes a field that the schema does not have.
    #[error("there is no field at position {index}")]
    Position {
        /// The position.
        index: usize,
    },
    /// No step sets a required field.
    #[error("nothing sets the required field {field}")]
    Unset {
        /// The field.
        field: String,
    },
}

/// A compiled expression: immutable, shared by its clones.
#[derive(Debug, Clone)]
pub struct Program {
    node: Arc<Node>,
    data_type: DataType,
}

/// A column and the rows of it that failed.
#[derive(Debug, Clone)]
pub struct Evaluated {
    /// One value a row, of the expression's exact type; null where the row failed.
    pub array: ArrayRef,
    /// The rows that failed.
    pub errors: RowErrors,
}

impl Program {
    /// Compiles a typed expression.
    ///
    /// # Errors
    /// [`CompileError`] when the expression is not one that the checker lets through.
    pub fn compile(expr: &Expr) -> Result<Self, CompileError> {
        Ok(Self {
            node: Arc::new(compile::compile(expr)?),
            data_type: expr.data_type.clone(),
        })
    }

    /// The type of the column.
    pub fn data_type(&self) -> &DataType {
        &self.data_type
    }

    /// The one value of every row of every frame, as an array of it, when the expression is a constant.
    pub(crate) fn constant(&self) -> Option<&ArrayRef> {
        match self.node.as_ref() {
            Node::Constant(array) => Some(array),
            _ => None,
        }
    }

    /// The value of every row of the frame. A column that the expression merely names is shared, not copied.
    pub fn evaluate(&self, frame: &Frame<'_>) -> Evaluated {
        self.evaluate_among(frame, None)
    }

    /// The value of the rows that `among` names; what stands in the others means nothing, and none of them fails.
    pub(crate) fn evaluate_among(&self, frame: &Frame<'_>, among: Option<&BooleanBuffer>) -> Evaluated {
        let context = Context::new(frame, among);
        let evaluated = self.node.evaluate(&context).and_then(|outcome| {
            let array = outcome.value.into_rows(frame.rows)?;
            Ok(Evaluated {
                array,
                errors: outcome.errors,
            })
        });
        match evaluated {
            Ok(evaluated)
                if evaluated.array.len() == frame.rows
                    && *evaluated.array.data_type() == arrow_type(&self.data_type) =>
            {
                evaluated
            }
            // A column reaches 2^31 - 1 bytes of text at most; which of its rows are too many nobody can say.
            // A defect, or a frame of another shape than was compiled for: the record's value is not known, so it
            // is an error of the record, never a guess.
            Err(ArrowError::OffsetOverflowError(_)) => self.failed(&context, EvalError::COLUMN_TOO_LONG),
            _ => self.failed(&context, EvalError::INTERNAL),
        }
    }

    fn failed(&self, context: &Context<'_>, error: EvalError) -> Evaluated {
        let rows = (0..context.rows()).filter(|row| context.selects(*row));
        Evaluated {
            array: null_array(&arrow_type(&self.data_type), context.rows()),
            errors: RowErrors::of_rows(rows, error),
        }
    }
}
