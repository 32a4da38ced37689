//! A STRING of each record that goes outside beside the payload: the name or the value of a header, a method, a path.
//!
//! Invariant: a row of a column that is still among the survivors has a text; what is the same in every row is held once.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, StringArray, new_null_array};
use arrow::datatypes::DataType as ArrowType;
use nspl_model::{DataType, Expr};

use crate::failure::{Failure, FailureSite};
use crate::fault::EvalError;
use crate::frame::Frame;
use crate::program::{CompileError, Program};
use crate::survivors::Survivors;

/// A compiled expression of an exact, non-null STRING.
#[derive(Debug, Clone)]
pub(crate) struct ExternalText {
    program: Program,
    evaluated: Arc<FailureSite>,
    judged: Arc<FailureSite>,
}

/// The text of each row.
#[derive(Debug, Clone)]
pub(crate) struct Texts {
    array: StringArray,
    /// One text stands for every row.
    constant: bool,
}

impl ExternalText {
    /// # Errors
    /// When it does not compile, or is no STRING.
    pub(crate) fn compile(expr: &Expr, site: FailureSite) -> Result<Self, CompileError> {
        if expr.data_type != DataType::String {
            return Err(CompileError::Type {
                expected: DataType::String,
                found: expr.data_type.clone(),
            });
        }
        Ok(Self {
            program: Program::compile(expr)?,
            judged: site.judging(),
            evaluated: Arc::new(site),
        })
    }

    /// Evaluates it for the survivors, and fails those of them for which it has no text.
    pub(crate) fn evaluate(&self, frame: &Frame<'_>, survivors: &mut Survivors) -> Texts {
        if let Some(constant) = self.program.constant().and_then(Texts::constant) {
            return constant;
        }
        let evaluated = self.program.evaluate_among(frame, survivors.mask());
        let failed = evaluated.errors.iter();
        let failures = failed.map(|(row, error)| Failure::of_evaluation(row, self.evaluated.clone(), error));
        survivors.fail(failures.collect());
        let texts = Texts {
            array: match evaluated.array.as_string_opt::<i32>() {
                Some(array) => array.clone(),
                None => new_null_array(&ArrowType::Utf8, frame.rows)
                    .as_string::<i32>()
                    .clone(),
            },
            constant: false,
        };
        // The checker lets no null through; were there one, sending an empty text instead would be a guess.
        let gaps = (0..frame.rows).filter(|row| survivors.lives(*row) && texts.array.is_null(*row));
        let gaps = gaps.map(|row| {
            Failure::of_evaluation(
                u32::try_from(row).unwrap_or(u32::MAX),
                self.evaluated.clone(),
                EvalError::INTERNAL,
            )
        });
        let gaps = if texts.array.null_count() > 0 {
            gaps.collect()
        } else {
            Vec::new()
        };
        survivors.fail(gaps);
        texts
    }

    /// Fails the survivors whose text may not stand where it is to stand.
    pub(crate) fn judge(
        &self,
        texts: &Texts,
        survivors: &mut Survivors,
        fault: impl Fn(&str) -> Option<&'static str>,
    ) {
        if texts.constant && fault(texts.get(0)).is_none() {
            return;
        }
        let rows = (0..survivors.rows()).filter(|row| survivors.lives(*row));
        let failures = rows.filter_map(|row| Some(self.refusal(row, fault(texts.get(row))?)));
        let failures = failures.collect();
        survivors.fail(failures);
    }

    /// The failure of a row whose text may not stand where it is to stand.
    pub(crate) fn refusal(&self, row: usize, why: impl Into<std::borrow::Cow<'static, str>>) -> Failure {
        Failure::new(u32::try_from(row).unwrap_or(u32::MAX), self.judged.clone(), why)
    }
}

impl Texts {
    /// One text a row; null where a row has none.
    pub(crate) fn rows(array: StringArray) -> Self {
        Self {
            array,
            constant: false,
        }
    }

    /// One text for every row.
    pub(crate) fn same(text: &str) -> Self {
        Self {
            array: StringArray::from(vec![text]),
            constant: true,
        }
    }

    fn constant(array: &ArrayRef) -> Option<Self> {
        let array = array.as_string_opt::<i32>().filter(|array| array.is_valid(0))?;
        Some(Self {
            array: array.clone(),
            constant: true,
        })
    }

    /// The one text of every row, when it is one.
    pub(crate) fn same_everywhere(&self) -> Option<&str> {
        self.constant.then(|| self.get(0))
    }

    /// The text of a row that is still among the survivors.
    pub(crate) fn get(&self, row: usize) -> &str {
        let place = if self.constant { 0 } else { row };
        if place < self.array.len() {
            self.array.value(place)
        } else {
            ""
        }
    }
}
