//! Intermediate values: a column, or one value that stands for every row.

use arrow::array::{Array, ArrayRef, AsArray, Scalar, UInt32Array};
use arrow::buffer::BooleanBuffer;
use arrow::compute::take;
use arrow::error::ArrowError;
use nervix_columns::{logical_array_bytes, null_array, nullify};

use crate::fault::EvalError;
use crate::row_errors::RowErrors;

use super::context::Context;

/// What a node gives.
#[derive(Debug, Clone)]
pub(super) enum Value {
    /// One value a row.
    Rows(ArrayRef),
    /// An array of one value, which every row has.
    Constant(ArrayRef),
}

impl Value {
    /// The array behind it.
    pub(super) fn array(&self) -> &ArrayRef {
        match self {
            Self::Rows(array) | Self::Constant(array) => array,
        }
    }

    pub(super) fn is_constant(&self) -> bool {
        matches!(self, Self::Constant(_))
    }

    /// Whether it is null in every row because it is one constant null.
    pub(super) fn is_null_constant(&self) -> bool {
        matches!(self, Self::Constant(array) if array.is_null(0))
    }

    /// One value a row.
    pub(super) fn into_rows(self, rows: usize) -> Result<ArrayRef, ArrowError> {
        match self {
            Self::Rows(array) => Ok(array),
            Self::Constant(array) if rows == 1 => Ok(array),
            Self::Constant(array) => spread(&array, rows),
        }
    }

    /// What Arrow kernels take: an array, or one value for every row.
    pub(super) fn datum(&self) -> Box<dyn arrow::array::Datum + '_> {
        match self {
            Self::Rows(array) => Box::new(array.clone()),
            Self::Constant(array) => Box::new(Scalar::new(array.clone())),
        }
    }

    /// The rows in which a BOOL is true; nulls are not.
    pub(super) fn truth(&self, rows: usize) -> Result<BooleanBuffer, ArrowError> {
        self.is(true, rows)
    }

    /// The rows in which a BOOL has exactly this value.
    pub(super) fn is(&self, wanted: bool, rows: usize) -> Result<BooleanBuffer, ArrowError> {
        let array = self.array().as_boolean_opt().ok_or_else(wrong_type)?;
        if self.is_constant() {
            let holds = array.is_valid(0) && array.value(0) == wanted;
            return Ok(if holds {
                BooleanBuffer::new_set(rows)
            } else {
                BooleanBuffer::new_unset(rows)
            });
        }
        let values = if wanted {
            array.values().clone()
        } else {
            !array.values()
        };
        Ok(match array.nulls() {
            None => values,
            Some(nulls) => &values & nulls.inner(),
        })
    }

    /// The rows that are not null.
    pub(super) fn valid(&self, rows: usize) -> BooleanBuffer {
        match self {
            Self::Constant(array) if array.is_null(0) => BooleanBuffer::new_unset(rows),
            Self::Constant(_) => BooleanBuffer::new_set(rows),
            Self::Rows(array) => array
                .nulls()
                .map_or_else(|| BooleanBuffer::new_set(rows), |nulls| nulls.inner().clone()),
        }
    }
}

/// A value and the rows that failed.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) value: Value,
    pub(super) errors: RowErrors,
}

impl Outcome {
    /// A column without errors.
    pub(super) fn rows(array: ArrayRef) -> Self {
        Self {
            value: Value::Rows(array),
            errors: RowErrors::default(),
        }
    }

    /// One value for every row.
    pub(super) fn constant(array: ArrayRef) -> Self {
        Self {
            value: Value::Constant(array),
            errors: RowErrors::default(),
        }
    }

    /// Every row fails in the same way.
    pub(super) fn failing(null: ArrayRef, error: EvalError, context: &Context<'_>) -> Self {
        let rows = (0..context.rows()).filter(|row| context.selects(*row));
        Self {
            value: Value::Constant(null),
            errors: RowErrors::of_rows(rows, error),
        }
    }

    /// The same with errors that came before its own.
    pub(super) fn after(self, earlier: RowErrors) -> Self {
        Self {
            value: self.value,
            errors: earlier.merge(self.errors),
        }
    }

    /// Establishes what every node promises: only selected rows fail, and their slots are null.
    pub(super) fn settled(mut self, context: &Context<'_>) -> Result<Self, ArrowError> {
        if self.errors.is_empty() {
            return Ok(self);
        }
        self.errors.retain(|row| context.selects(row));
        if self.errors.is_empty() || self.value.is_null_constant() {
            return Ok(self);
        }
        let array = self.value.into_rows(context.rows())?;
        let array = nullify(&array, &self.errors.mask(context.rows()))?;
        Ok(Self {
            value: Value::Rows(array),
            errors: self.errors,
        })
    }
}

/// The refusal of a column that is not of the type it was compiled for.
pub(super) fn wrong_type() -> ArrowError {
    ArrowError::InvalidArgumentError("a column is not of the type it was compiled for".into())
}

fn spread(array: &ArrayRef, rows: usize) -> Result<ArrayRef, ArrowError> {
    if array.is_null(0) {
        return Ok(null_array(array.data_type(), rows));
    }
    // Offsets have 32 bits; kernels do not all check them.
    if logical_array_bytes(array).saturating_mul(rows as u64) > i32::MAX as u64 {
        return Err(ArrowError::OffsetOverflowError(rows));
    }
    take(array.as_ref(), &UInt32Array::from_value(0, rows), None)
}
