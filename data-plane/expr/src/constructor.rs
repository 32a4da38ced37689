//! Builds records: INHERIT, SET and the route's WHERE (companion sections 5 and 6).
//!
//! Construction starts empty and runs its steps in written order. A row that fails in one step does not run the
//! later ones; the other rows go on. Columns that are inherited are shared with the source, not copied.
//!
//! Invariant: each row of the frame is in exactly one group: kept, dropped by WHERE, or failed once.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, RecordBatch, RecordBatchOptions};
use arrow::buffer::BooleanBuffer;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use nervix_columns::{CONVERTED_BYTES_MAX, NullColumns, arrow_schema, filter, nullable_schema};
use nspl_model::record_error::Operation;
use nspl_model::{Assignment, Construction, Schema, Step};

use crate::failure::{Failure, FailureSite};
use crate::frame::Frame;
use crate::predicate::{Predicate, failed_mask};
use crate::program::{CompileError, Program};
use crate::survivors::Survivors;

mod partial;

#[cfg(test)]
mod tests;

use partial::Partial;

/// Text of the failure of a required field that is null in the finished record.
const REQUIRED: &str = "a required field is null";
/// Text of the failure of a record whose fields that are not set pass the bound on what a batch may unfold to.
const UNSET_TOO_LARGE: &str = "the fields that are not set take more than 1 GiB in this record alone";

/// A compiled construction.
#[derive(Debug, Clone)]
pub struct Constructor {
    target: SchemaRef,
    steps: Vec<Action>,
    filter: Option<Predicate>,
    /// By position; `None` for an OPTIONAL field.
    required: Vec<Option<Arc<FailureSite>>>,
    reads: Reads,
    keeps_partial: bool,
    unset: Arc<FailureSite>,
}

/// What `output` means to the expressions of the steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reads {
    /// The record under construction.
    Own,
    /// The finished record of the frame, from which branch keys are made.
    Finished,
}

#[derive(Debug, Clone)]
enum Action {
    Inherit {
        output: usize,
        input: usize,
    },
    Set {
        output: usize,
        program: Program,
        site: Arc<FailureSite>,
    },
}

/// What became of the rows of one frame.
#[derive(Debug, Clone)]
pub struct Constructed {
    /// The finished records of the rows that were kept, in order, in the exact schema.
    pub batch: RecordBatch,
    /// One bit for each row of the frame: whether it is in `batch`. `None`: every row is.
    pub kept: Option<BooleanBuffer>,
    /// The rows that failed, ascending.
    pub failures: Vec<Failure>,
    /// What had been set of each failed row, row for row with `failures`; every column is nullable. No rows where the
    /// constructor is [without it](Constructor::without_partial_output).
    pub partial_output: RecordBatch,
    rows: usize,
}

/// What became of one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RowGroup {
    /// It is in the batch.
    Kept = 0,
    /// WHERE was not true.
    Dropped = 1,
    /// It failed.
    Failed = 2,
}

impl RowGroup {
    /// How many groups there are.
    pub const COUNT: usize = 3;
}

impl Constructed {
    /// The group of each row of the frame, as a number of [`RowGroup`]; `None` when every row was kept.
    pub fn groups(&self) -> Option<Vec<u32>> {
        let kept = self.kept.as_ref()?;
        let group = |kept| if kept { RowGroup::Kept } else { RowGroup::Dropped } as u32;
        let mut groups: Vec<u32> = kept.iter().map(group).collect();
        for failure in &self.failures {
            if let Some(group) = groups.get_mut(failure.row as usize) {
                *group = RowGroup::Failed as u32;
            }
        }
        Some(groups)
    }

    /// The failed rows as a mask over the frame.
    pub fn failed(&self) -> BooleanBuffer {
        failed_mask(&self.failures, self.rows)
    }

    /// The columns of the batch as the `output` of a later frame.
    pub fn output(&self) -> Vec<Option<ArrayRef>> {
        self.batch.columns().iter().cloned().map(Some).collect()
    }
}

impl Constructor {
    /// Compiles the construction of a route into `target`.
    ///
    /// # Errors
    /// When an expression does not compile, a position is not in the schema, or no step sets a required field.
    pub fn compile(construction: &Construction, target: &Schema) -> Result<Self, CompileError> {
        let mut sets = 0;
        let mut steps = Vec::with_capacity(construction.steps.len());
        for step in &construction.steps {
            steps.push(match step {
                Step::Inherit { output, input } => Action::Inherit {
                    output: *output,
                    input: *input,
                },
                Step::Set(assignment) => {
                    sets += 1;
                    Action::set(assignment, Operation::Construct, sets - 1)?
                }
            });
        }
        let filter = construction.filter.as_ref();
        let filter = filter
            .map(|expr| Predicate::compile(expr, Operation::Route))
            .transpose()?;
        Self::new(steps, filter, target, (Operation::Construct, Reads::Own))
    }

    /// Compiles the SET of an error route, or VALUES, into `target`.
    ///
    /// # Errors
    /// As [`Constructor::compile`].
    pub fn assignments(set: &[Assignment], target: &Schema) -> Result<Self, CompileError> {
        Self::of_assignments(set, target, (Operation::Construct, Reads::Own))
    }

    /// Compiles branch keys: their expressions read the finished record of the frame as `output`, and their
    /// failures have the operation `branch`.
    ///
    /// # Errors
    /// As [`Constructor::compile`].
    pub fn branch_keys(keys: &[Assignment], branch: &Schema) -> Result<Self, CompileError> {
        Self::of_assignments(keys, branch, (Operation::Branch, Reads::Finished))
    }

    fn of_assignments(
        set: &[Assignment],
        target: &Schema,
        (operation, reads): (Operation, Reads),
    ) -> Result<Self, CompileError> {
        let mut steps = Vec::with_capacity(set.len());
        for (index, assignment) in set.iter().enumerate() {
            steps.push(Action::set(
                assignment,
                operation,
                u32::try_from(index).unwrap_or(u32::MAX),
            )?);
        }
        Self::new(steps, None, target, (operation, reads))
    }

    fn new(
        steps: Vec<Action>,
        filter: Option<Predicate>,
        target: &Schema,
        (operation, reads): (Operation, Reads),
    ) -> Result<Self, CompileError> {
        if let Some(index) = steps
            .iter()
            .map(Action::output)
            .find(|index| *index >= target.fields.len())
        {
            return Err(CompileError::Position { index });
        }
        let mut required = Vec::with_capacity(target.fields.len());
        for (index, field) in target.fields.iter().enumerate() {
            if !field.optional && !steps.iter().any(|step| step.output() == index) {
                return Err(CompileError::Unset {
                    field: field.name.clone(),
                });
            }
            required.push((!field.optional).then(|| FailureSite::of_required(operation, target, index)));
        }
        let unset = |index: &usize| !steps.iter().any(|step| step.output() == *index);
        let unset = FailureSite::of_fields(operation, target, (0..target.fields.len()).filter(unset));
        Ok(Self {
            target: arrow_schema(target),
            steps,
            filter,
            required,
            reads,
            keeps_partial: true,
            unset,
        })
    }

    /// Makes nothing of `partial_output`, for those who read nothing of it: what is not set of a failed row takes memory.
    #[must_use]
    pub fn without_partial_output(mut self) -> Self {
        self.keeps_partial = false;
        self
    }

    /// The failure of a single record, row 0, whose fields that are not set take too much memory alone.
    pub fn unset_failure(&self) -> Failure {
        Failure::new(0, Arc::clone(&self.unset), UNSET_TOO_LARGE)
    }

    /// The exact schema of the records it builds.
    pub fn schema(&self) -> &SchemaRef {
        &self.target
    }

    /// Builds a record from each row of the frame.
    ///
    /// # Errors
    /// [`ArrowError::MemoryError`] when what is not set takes more than [`CONVERTED_BYTES_MAX`]: smaller batches help,
    /// and a single record has [`Self::unset_failure`].
    /// Anything else when the frame's columns are not of the types that were compiled for: a defect of the caller.
    /// What concerns one row is in [`Constructed::failures`].
    pub fn construct(&self, frame: &Frame<'_>) -> Result<Constructed, ArrowError> {
        let mut work = Work::new(frame.rows, &self.target, self.keeps_partial);
        for step in &self.steps {
            self.run(step, frame, &mut work)?;
        }
        self.finish(frame, &mut work)?;
        if let Some(filter) = &self.filter {
            let filtered = {
                let frame = frame.with_output(&work.slots);
                filter.keep_among(&frame, work.survivors.mask())
            };
            work.fail(filtered.failures)?;
            work.survivors.keep(filtered.keep);
        }
        work.into_constructed()
    }

    fn run(&self, step: &Action, frame: &Frame<'_>, work: &mut Work) -> Result<(), ArrowError> {
        let (output, array) = match step {
            Action::Inherit { output, input } => {
                let column = frame.input.columns().get(*input).cloned();
                (
                    *output,
                    column.ok_or_else(|| broken("an inherited column is not in the frame"))?,
                )
            }
            Action::Set {
                output,
                program,
                site,
            } => {
                let evaluated = match self.reads {
                    Reads::Own => {
                        let frame = frame.with_output(&work.slots);
                        program.evaluate_among(&frame, work.survivors.mask())
                    }
                    Reads::Finished => program.evaluate_among(frame, work.survivors.mask()),
                };
                let failed = evaluated.errors.iter();
                let failed = failed.map(|(row, error)| Failure::of_evaluation(row, site.clone(), error));
                work.fail(failed.collect())?;
                (*output, evaluated.array)
            }
        };
        if array.len() != frame.rows {
            return Err(broken("a column is not as long as the frame"));
        }
        if let Some(slot) = work.slots.get_mut(output) {
            *slot = Some(array);
        }
        Ok(())
    }

    /// Fills what was not set with nulls and fails the rows in which a required field is null.
    fn finish(&self, frame: &Frame<'_>, work: &mut Work) -> Result<(), ArrowError> {
        let mut unset = NullColumns::within(CONVERTED_BYTES_MAX);
        for (index, required) in self.required.iter().enumerate() {
            let array = match work.slots.get(index).cloned().flatten() {
                Some(array) => array,
                None => unset.column(self.target.field(index).data_type(), frame.rows)?,
            };
            let nulls = array.nulls().filter(|nulls| nulls.null_count() > 0).cloned();
            if let Some(slot) = work.slots.get_mut(index) {
                *slot = Some(array);
            }
            if let (Some(site), Some(nulls)) = (required, nulls) {
                let gaps = !nulls.inner();
                let failed = gaps.set_indices().filter(|row| work.survivors.lives(*row));
                let failed = failed
                    .map(|row| Failure::new(u32::try_from(row).unwrap_or(u32::MAX), site.clone(), REQUIRED));
                let failed = failed.collect();
                work.fail(failed)?;
            }
        }
        Ok(())
    }
}

impl Action {
    fn set(assignment: &Assignment, operation: Operation, index: u32) -> Result<Self, CompileError> {
        Ok(Self::Set {
            output: assignment.index,
            program: Program::compile(&assignment.expr)?,
            site: FailureSite::of_expression(operation, Some(index), &assignment.expr),
        })
    }

    fn output(&self) -> usize {
        match self {
            Self::Inherit { output, .. } | Self::Set { output, .. } => *output,
        }
    }
}

/// A construction under way.
struct Work {
    rows: usize,
    target: SchemaRef,
    slots: Vec<Option<ArrayRef>>,
    survivors: Survivors,
    partial: Option<Partial>,
}

impl Work {
    fn new(rows: usize, target: &SchemaRef, keeps_partial: bool) -> Self {
        Self {
            rows,
            target: target.clone(),
            slots: vec![None; target.fields().len()],
            survivors: Survivors::new(rows, None),
            partial: keeps_partial.then(|| Partial::new(nullable_schema(target))),
        }
    }

    /// Takes rows out of the construction, with what is set of them now.
    fn fail(&mut self, failures: Vec<Failure>) -> Result<(), ArrowError> {
        match (self.survivors.fail(failures), &mut self.partial) {
            (Some(failed), Some(partial)) => partial.add(&failed, &self.slots),
            _ => Ok(()),
        }
    }

    fn into_constructed(self) -> Result<Constructed, ArrowError> {
        let partial_output = match self.partial {
            Some(partial) => partial.finish(self.survivors.failures())?,
            None => RecordBatch::new_empty(nullable_schema(&self.target)),
        };
        let (kept, failures) = self.survivors.finish();
        let columns = self.slots.into_iter().flatten().collect();
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows));
        let batch = match &kept {
            None => RecordBatch::try_new_with_options(self.target, columns, &options)?,
            Some(kept) => {
                let nullable = nullable_schema(&self.target);
                let kept = filter(
                    &RecordBatch::try_new_with_options(nullable, columns, &options)?,
                    kept,
                )?;
                let options = RecordBatchOptions::new().with_row_count(Some(kept.num_rows()));
                RecordBatch::try_new_with_options(self.target, kept.columns().to_vec(), &options)?
            }
        };
        Ok(Constructed {
            batch,
            kept,
            failures,
            partial_output,
            rows: self.rows,
        })
    }
}

fn broken(what: &str) -> ArrowError {
    ArrowError::InvalidArgumentError(what.to_owned())
}
