//! The error channel beside a column: which rows failed, and why.
//!
//! Invariant: at most one error a row, sorted by row. Empty, it allocates nothing.

use arrow::buffer::BooleanBuffer;

use crate::fault::EvalError;

#[cfg(test)]
mod tests;

/// The rows of a column that failed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowErrors {
    entries: Vec<(u32, EvalError)>,
}

impl RowErrors {
    /// Whether no row failed.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many rows failed.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The failed rows and their errors, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (u32, EvalError)> + '_ {
        self.entries.iter().copied()
    }

    /// The error of one row.
    pub fn at(&self, row: u32) -> Option<EvalError> {
        let found = self.entries.binary_search_by_key(&row, |(row, _)| *row).ok()?;
        self.entries.get(found).map(|(_, error)| *error)
    }

    /// The failed rows as a mask over `rows` rows.
    pub fn mask(&self, rows: usize) -> BooleanBuffer {
        let mut bits = arrow::array::BooleanBufferBuilder::new(rows);
        bits.append_n(rows, false);
        for (row, _) in &self.entries {
            if (*row as usize) < rows {
                bits.set_bit(*row as usize, true);
            }
        }
        bits.finish()
    }

    /// Adds a row; rows come in ascending order.
    pub(crate) fn push(&mut self, row: usize, error: EvalError) {
        self.entries.push((u32::try_from(row).unwrap_or(u32::MAX), error));
    }

    /// The same error for each of the rows named.
    pub(crate) fn of_rows(rows: impl Iterator<Item = usize>, error: EvalError) -> Self {
        let mut errors = Self::default();
        for row in rows {
            errors.push(row, error);
        }
        errors
    }

    /// Both, where a row that failed in both keeps the error of `self`.
    pub(crate) fn merge(self, other: Self) -> Self {
        if other.is_empty() {
            return self;
        }
        if self.is_empty() {
            return other;
        }
        let mut entries = Vec::with_capacity(self.entries.len() + other.entries.len());
        let mut right = other.entries.into_iter().peekable();
        for left in self.entries {
            while let Some(entry) = right.next_if(|entry| entry.0 < left.0) {
                entries.push(entry);
            }
            while right.next_if(|entry| entry.0 == left.0).is_some() {}
            entries.push(left);
        }
        entries.extend(right);
        Self { entries }
    }

    /// Only the errors of rows that `keep` accepts.
    pub(crate) fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        self.entries.retain(|(row, _)| keep(*row as usize));
    }
}
