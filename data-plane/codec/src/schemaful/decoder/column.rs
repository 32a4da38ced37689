//! Columns that grow by a record at a time.

use arrow::array::{ArrayRef, BooleanBufferBuilder};
use arrow::buffer::NullBuffer;
use arrow::error::ArrowError;
use nspl_model::Field;

use super::Refusal;
use super::builder::Values;
use super::source::{Reason, Source};
use crate::fault::RecordFault;

/// The column of one field.
pub(super) struct ColumnBuilder {
    field: Field,
    values: Values,
    /// Only of an OPTIONAL field.
    valid: Option<BooleanBufferBuilder>,
    /// What of the record that is being read stands behind `rows`.
    state: State,
    rows: usize,
}

/// What a record has given to a field so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Absent,
    Set,
    Faulty(Reason),
}

impl ColumnBuilder {
    pub(super) fn of(field: &Field) -> Self {
        Self {
            values: Values::of(&field.data_type),
            valid: field.optional.then(|| BooleanBufferBuilder::new(0)),
            field: field.clone(),
            state: State::Absent,
            rows: 0,
        }
    }

    /// Takes the value that is next, in place of one that the record gave before: the last of doubled fields counts.
    fn set<'a, S: Source<'a>>(&mut self, source: &mut S, allowance: &mut usize) -> Result<(), Reason> {
        self.cut_back();
        if source.null() {
            return self.end_null(Reason::Null, allowance);
        }
        let set = self.values.push(source).map(|()| self.mark(true));
        self.state = set.map_or_else(State::Faulty, |()| State::Set);
        set
    }

    /// Has no value; `otherwise` is what is wrong when it must have one.
    fn end_null(&mut self, otherwise: Reason, allowance: &mut usize) -> Result<(), Reason> {
        let set = self.push_null(otherwise, allowance);
        self.state = set.map_or_else(State::Faulty, |()| State::Set);
        set
    }

    fn push_null(&mut self, otherwise: Reason, allowance: &mut usize) -> Result<(), Reason> {
        if !self.field.optional {
            return Err(otherwise);
        }
        let left = allowance.checked_sub(self.values.null_bytes());
        *allowance = left.ok_or(Reason::NoRoom)?;
        self.values.push_beneath_null(1)?;
        self.mark(false);
        Ok(())
    }

    fn mark(&mut self, valid: bool) {
        if let Some(bits) = &mut self.valid {
            bits.append(valid);
        }
    }

    fn cut_back(&mut self) {
        if self.state != State::Absent {
            self.values.truncate(self.rows);
            if let Some(bits) = &mut self.valid {
                bits.truncate(self.rows);
            }
            self.state = State::Absent;
        }
    }

    pub(super) fn build(self) -> Result<ArrayRef, ArrowError> {
        let nulls = self.valid.map(|mut bits| NullBuffer::new(bits.finish()));
        self.values.build(&self.field.data_type, nulls)
    }
}

/// One record on its way into the columns.
pub(in crate::schemaful) struct Record<'c> {
    columns: &'c mut [ColumnBuilder],
    allowance: &'c mut usize,
    allowed: usize,
}

impl<'c> Record<'c> {
    pub(super) fn new(columns: &'c mut [ColumnBuilder], allowance: &'c mut usize) -> Self {
        Self {
            columns,
            allowed: *allowance,
            allowance,
        }
    }

    /// Gives a field its value. An error is remembered as the field's; the caller need only know where the value ends.
    pub(in crate::schemaful) fn set<'a, S: Source<'a>>(
        &mut self,
        column: usize,
        source: &mut S,
    ) -> Result<(), Reason> {
        match self.columns.get_mut(column) {
            Some(column) => column.set(source, self.allowance),
            None => Ok(()),
        }
    }

    /// Says that a field has no value.
    pub(in crate::schemaful) fn set_null(&mut self, column: usize) -> Result<(), Reason> {
        match self.columns.get_mut(column) {
            Some(column) => column.end_null(Reason::Null, self.allowance),
            None => Ok(()),
        }
    }

    /// Ends the record when every field has what it needs.
    pub(super) fn finish(&mut self) -> Result<(), Refusal> {
        for column in self
            .columns
            .iter_mut()
            .filter(|column| column.state == State::Absent)
        {
            // What is missing is found again below.
            let _missing = column.end_null(Reason::Missing, self.allowance).is_err();
        }
        self.judge()?;
        for column in self.columns.iter_mut() {
            column.state = State::Absent;
            column.rows += 1;
        }
        Ok(())
    }

    /// The fault of the fields that could not be read.
    pub(super) fn judge(&self) -> Result<(), Refusal> {
        let faulty = self.columns.iter().filter_map(|column| match column.state {
            State::Faulty(reason) => Some((column.field.name.as_str(), reason)),
            State::Absent | State::Set => None,
        });
        let faulty: Vec<_> = faulty.collect();
        let Some((first, reason)) = faulty.first().copied() else {
            return Ok(());
        };
        if faulty.iter().all(|(_, reason)| *reason == Reason::NoRoom) {
            return Err(Refusal::NoRoom);
        }
        let mut fields: Vec<String> = faulty.iter().map(|(name, _)| (*name).to_owned()).collect();
        fields.sort_unstable();
        let cause = format!("field '{first}' {}", reason.text());
        Err(Refusal::Fault(RecordFault::validation(fields, cause)))
    }

    /// Takes the record out again.
    pub(super) fn undo(&mut self) {
        *self.allowance = self.allowed;
        for column in self.columns.iter_mut() {
            column.cut_back();
        }
    }
}
