//! Row-wise results: columns of text and of other types, built with their errors.
//!
//! Bounds (rulings section 5): a STRING result has at most [`TEXT_BYTES_MAX`] bytes; all of them in one column at
//! most 2^31 - 1, which is what Arrow's offsets reach. A row past either is an error of that row.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, ArrowPrimitiveType, BooleanArray, BooleanBufferBuilder, PrimitiveArray, StringArray,
};
use arrow::buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow::error::ArrowError;

use crate::fault::{EvalError, Fault};
use crate::row_errors::RowErrors;

use super::context::Context;
use super::value::{Outcome, Value};

/// Bytes that one STRING result may have.
pub(super) const TEXT_BYTES_MAX: usize = 16 << 20;

/// Bytes that the STRING results of one column may have together.
const COLUMN_BYTES_MAX: usize = i32::MAX as usize;

/// Rows after which the length of a whole column is guessed, so that it hardly ever has to grow.
const SAMPLE_ROWS: usize = 64;

/// Bytes that are reserved on such a guess at most.
const GUESSED_BYTES_MAX: usize = 16 << 20;

/// The text of one row under construction: it can only grow, and only up to its bound.
pub(super) struct Text<'a> {
    column: &'a mut String,
    start: usize,
}

impl Text<'_> {
    /// Appends, or says that the result is too long.
    pub(super) fn push_str(&mut self, text: &str) -> Result<(), Fault> {
        self.reserve(text.len())?;
        self.column.push_str(text);
        Ok(())
    }

    /// Appends a text and maps it in place, or says that the result is too long.
    pub(super) fn push_mapped(&mut self, text: &str, map: fn(&mut str)) -> Result<(), Fault> {
        let start = self.column.len();
        self.push_str(text)?;
        if let Some(text) = self.column.get_mut(start..) {
            map(text);
        }
        Ok(())
    }

    /// Appends one character, or says that the result is too long.
    pub(super) fn push(&mut self, character: char) -> Result<(), Fault> {
        self.reserve(character.len_utf8())?;
        self.column.push(character);
        Ok(())
    }

    /// Whether so many bytes more are allowed.
    pub(super) fn reserve(&self, bytes: usize) -> Result<(), Fault> {
        let length = (self.column.len() - self.start).saturating_add(bytes);
        if length > TEXT_BYTES_MAX || self.column.len().saturating_add(bytes) > COLUMN_BYTES_MAX {
            return Err(Fault::TooLong);
        }
        Ok(())
    }

    /// Lets a formatter append; what it wrote is judged afterwards, so it must be short.
    pub(super) fn append_with(&mut self, write: impl FnOnce(&mut String)) -> Result<(), Fault> {
        write(self.column);
        self.reserve(0)
    }
}

/// Builds a STRING column: `row` writes the text of one row and says whether it is a value or null.
pub(super) fn text_rows(
    context: &Context<'_>,
    operation: &'static str,
    mut row: impl FnMut(usize, &mut Text<'_>) -> Result<Option<()>, Fault>,
) -> Result<Outcome, ArrowError> {
    let rows = context.rows();
    let mut column = String::new();
    let mut offsets: Vec<i32> = Vec::with_capacity(rows + 1);
    offsets.push(0);
    let mut gaps = Gaps::new(rows, operation);
    for index in 0..rows {
        let start = column.len();
        if index == SAMPLE_ROWS {
            let guessed = (start / SAMPLE_ROWS + 1).saturating_mul(rows - index);
            column.reserve(guessed.min(GUESSED_BYTES_MAX));
        }
        let written = if context.selects(index) {
            row(
                index,
                &mut Text {
                    column: &mut column,
                    start,
                },
            )
        } else {
            Ok(None)
        };
        if gaps.note(index, written).is_none() {
            column.truncate(start);
        }
        offsets.push(i32::try_from(column.len()).map_err(|_| ArrowError::OffsetOverflowError(index))?);
    }
    let (nulls, errors) = gaps.finish();
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    let array = StringArray::try_new(offsets, Buffer::from_vec(column.into_bytes()), nulls)?;
    Ok(Outcome {
        value: Value::Rows(Arc::new(array)),
        errors,
    })
}

/// Builds a column of a primitive type.
pub(super) fn number_rows<T: ArrowPrimitiveType>(
    context: &Context<'_>,
    operation: &'static str,
    mut row: impl FnMut(usize) -> Result<Option<T::Native>, Fault>,
) -> Result<Outcome, ArrowError> {
    let rows = context.rows();
    let mut values: Vec<T::Native> = Vec::with_capacity(rows);
    let mut gaps = Gaps::new(rows, operation);
    for index in 0..rows {
        let value = if context.selects(index) {
            row(index)
        } else {
            Ok(None)
        };
        values.push(gaps.note(index, value).unwrap_or_default());
    }
    let (nulls, errors) = gaps.finish();
    let array: ArrayRef = Arc::new(PrimitiveArray::<T>::try_new(values.into(), nulls)?);
    Ok(Outcome {
        value: Value::Rows(array),
        errors,
    })
}

/// Builds a BOOL column.
pub(super) fn boolean_rows(
    context: &Context<'_>,
    operation: &'static str,
    mut row: impl FnMut(usize) -> Result<Option<bool>, Fault>,
) -> Result<Outcome, ArrowError> {
    let rows = context.rows();
    let mut gaps = Gaps::new(rows, operation);
    let values = BooleanBuffer::collect_bool(rows, |index| {
        let value = if context.selects(index) {
            row(index)
        } else {
            Ok(None)
        };
        gaps.note(index, value).unwrap_or_default()
    });
    let (nulls, errors) = gaps.finish();
    let array = BooleanArray::new(values, nulls);
    Ok(Outcome {
        value: Value::Rows(Arc::new(array)),
        errors,
    })
}

/// Nulls and errors of a column under construction; nothing is allocated before the first of them.
struct Gaps {
    rows: usize,
    operation: &'static str,
    nulls: Option<BooleanBufferBuilder>,
    errors: RowErrors,
}

impl Gaps {
    fn new(rows: usize, operation: &'static str) -> Self {
        Self {
            rows,
            operation,
            nulls: None,
            errors: RowErrors::default(),
        }
    }

    fn note<V>(&mut self, row: usize, value: Result<Option<V>, Fault>) -> Option<V> {
        let value = match value {
            Ok(value) => value,
            Err(fault) => {
                self.errors.push(
                    row,
                    EvalError {
                        fault,
                        operation: self.operation,
                    },
                );
                None
            }
        };
        match (&mut self.nulls, value.is_some()) {
            (None, true) => {}
            (Some(nulls), valid) => nulls.append(valid),
            (None, false) => {
                let mut nulls = BooleanBufferBuilder::new(self.rows);
                nulls.append_n(row, true);
                nulls.append(false);
                self.nulls = Some(nulls);
            }
        }
        value
    }

    fn finish(self) -> (Option<NullBuffer>, RowErrors) {
        (
            self.nulls.map(|mut nulls| NullBuffer::new(nulls.finish())),
            self.errors,
        )
    }
}
