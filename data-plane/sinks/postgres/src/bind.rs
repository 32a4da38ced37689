//! Columns as bound: one array in Postgres's binary form for each column of VALUES.
//!
//! Invariant: what [`Binding::row_bytes`] counts is exactly what [`Binding::write`] writes, which is what MAX SIZE counts of
//! an array (`emitters.txt`, Database writes): its header, and a length with its value for each row.

mod elements;
mod form;
mod json;
mod number;

use arrow::array::Array;
use arrow::datatypes::DataType as ArrowType;
use bytes::{BufMut, BytesMut};
use tokio_postgres::types::Type;

use elements::elements;
use form::Form;

/// Dimensions, flag of nulls, type of the elements, length and lower bound.
const HEADER_BYTES: u64 = 20;
/// Why a value cannot be bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueFault {
    /// A float that is no whole number of a column of integers.
    NotWhole,
    /// A number in an ARRAY or VEC that JSON cannot write.
    NotFinite,
}

impl ValueFault {
    /// The SQLSTATE that the server would give it.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::NotWhole => "22003",
            Self::NotFinite => "22P02",
        }
    }

    /// What is wrong with it.
    pub(crate) fn cause(self) -> &'static str {
        match self {
            Self::NotWhole => "a float that is no whole number within 64 bits, for a column of integers",
            Self::NotFinite => "JSON has no NaN and no infinity",
        }
    }
}

/// How one column is bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Binding {
    form: Form,
    /// What the statement casts the text to; none where the column takes what is bound as it is.
    cast: Option<String>,
}

impl Binding {
    /// How values of `data` are bound for a column of the type `column` with the modifier `modifier`. Of a domain, its base
    /// type and modifier.
    pub(crate) fn of(data: &ArrowType, column: &Type, modifier: i32) -> Self {
        let form = Form::of(data, column, modifier);
        Self {
            form,
            cast: (form.is_text() && !is_text(column)).then(|| type_name(column)),
        }
    }

    /// The name of the array's type in a statement.
    pub(crate) fn array_name(&self) -> String {
        format!("{}[]", self.form.element().name())
    }

    /// What the statement casts the elements to.
    pub(crate) fn cast(&self) -> Option<&str> {
        self.cast.as_deref()
    }

    /// The bytes of an array without elements.
    pub(crate) fn array_bytes(&self) -> u64 {
        HEADER_BYTES
    }

    /// Adds the bytes of each element.
    pub(crate) fn row_bytes(&self, array: &dyn Array, sums: &mut [u64]) {
        let nulls = array.logical_nulls();
        elements(self.form, array).add_bytes(nulls.as_ref(), sums);
    }

    /// The first value that cannot be bound.
    pub(crate) fn fault(&self, array: &dyn Array) -> Option<ValueFault> {
        let nulls = array.logical_nulls();
        let is_null = |row: usize| nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
        if !self.form.may_fail() {
            return None;
        }
        let elements = elements(self.form, array);
        let mut rows = (0..array.len()).filter(|row| !is_null(*row));
        rows.find_map(|row| elements.fault(row))
    }

    /// Writes the array. Its values have no fault.
    pub(crate) fn write(&self, array: &dyn Array, out: &mut BytesMut) {
        let nulls = array.logical_nulls();
        let null_count = nulls.as_ref().map_or(0, |nulls| nulls.null_count());
        out.put_i32(1);
        out.put_i32(i32::from(null_count > 0));
        out.put_u32(self.form.element().oid());
        // A write has at most 65,536 rows.
        out.put_i32(i32::try_from(array.len()).unwrap_or(i32::MAX));
        out.put_i32(1);
        elements(self.form, array).put_all(nulls.as_ref(), array.len(), out);
    }
}

/// Whether text enters the column as it is, with the column's own checks.
fn is_text(column: &Type) -> bool {
    [Type::TEXT, Type::VARCHAR, Type::BPCHAR, Type::NAME].contains(column)
}

/// The type's name, without a modifier: with one, a cast would cut a text off that an assignment refuses.
fn type_name(column: &Type) -> String {
    let quoted = crate::statement::quoted;
    format!("{}.{}", quoted(column.schema()), quoted(column.name()))
}

#[cfg(test)]
mod tests;
