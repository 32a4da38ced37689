//! A record that failed, with all that `error` says of it (companion section 6).
//!
//! Invariant: nothing in it quotes a value; its text has at most [`MESSAGE_CHARS_MAX`] characters.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use nspl_model::record_error::{ErrorCode, Operation};
use nspl_model::{Expr, Schema};

use crate::fault::EvalError;

/// Characters of `error.message` at most.
pub const MESSAGE_CHARS_MAX: usize = 256;

/// Where records fail: shared by all records that fail there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailureSite {
    /// `error.code`.
    pub code: ErrorCode,
    /// `error.operation`.
    pub operation: Operation,
    /// `error.operation_index`: the position of the SET item, VALUES entry or INVOKE call, from 0.
    pub operation_index: Option<u32>,
    /// `error.fields`: bare names, sorted.
    pub fields: Vec<String>,
}

impl FailureSite {
    /// Where an expression is evaluated: its fields are those that it reads.
    pub fn of_expression(operation: Operation, operation_index: Option<u32>, expr: &Expr) -> Arc<Self> {
        Arc::new(Self {
            code: ErrorCode::Evaluation,
            operation,
            operation_index,
            fields: names([expr], None),
        })
    }

    /// Where the expressions of one header write are evaluated.
    pub(crate) fn of_header(index: u32, name: &Expr, value: &Expr) -> Self {
        Self {
            code: ErrorCode::Evaluation,
            operation: Operation::Invoke,
            operation_index: Some(index),
            fields: names([name, value], None),
        }
    }

    /// Where a field of a request is evaluated: it is named beside the fields that its expression reads.
    pub(crate) fn of_request_field(field: &str, expr: &Expr) -> Self {
        Self {
            code: ErrorCode::Evaluation,
            operation: Operation::Publish,
            operation_index: None,
            fields: names([expr], Some(field)),
        }
    }

    /// The same place, where what was evaluated is found to be nothing that may stand there.
    pub(crate) fn judging(&self) -> Arc<Self> {
        let code = ErrorCode::Validation;
        Arc::new(Self { code, ..self.clone() })
    }

    /// Where a required field of a finished record is found to be null.
    pub fn of_required(operation: Operation, target: &Schema, index: usize) -> Arc<Self> {
        Self::of_fields(operation, target, [index])
    }

    /// Where these fields of a finished record are found to be nothing that may stand there.
    pub(crate) fn of_fields(
        operation: Operation,
        target: &Schema,
        indexes: impl IntoIterator<Item = usize>,
    ) -> Arc<Self> {
        let fields = indexes.into_iter().filter_map(|index| target.fields.get(index));
        let mut fields: Vec<String> = fields.map(|field| field.name.clone()).collect();
        fields.sort_unstable();
        Arc::new(Self {
            code: ErrorCode::Validation,
            operation,
            operation_index: None,
            fields,
        })
    }
}

/// The fields that expressions read, and one more name, sorted and each once.
fn names<const N: usize>(exprs: [&Expr; N], more: Option<&str>) -> Vec<String> {
    let read = exprs.into_iter().flat_map(Expr::fields);
    let mut names: Vec<String> = read
        .map(|field| field.name.clone())
        .chain(more.map(str::to_owned))
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// One record that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Its row in the batch that was evaluated.
    pub row: u32,
    /// Where it failed.
    pub site: Arc<FailureSite>,
    reason: Why,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Why {
    Evaluation(EvalError),
    Text(Cow<'static, str>),
}

impl Failure {
    /// A failure that another stage found. The text must quote no value; it is cut to [`MESSAGE_CHARS_MAX`].
    pub fn new(row: u32, site: Arc<FailureSite>, message: impl Into<Cow<'static, str>>) -> Self {
        let mut message = message.into();
        if let Some((end, _)) = message.char_indices().nth(MESSAGE_CHARS_MAX) {
            message.to_mut().truncate(end);
        }
        Self {
            row,
            site,
            reason: Why::Text(message),
        }
    }

    /// A failure of an expression.
    pub(crate) fn of_evaluation(row: u32, site: Arc<FailureSite>, error: EvalError) -> Self {
        Self {
            row,
            site,
            reason: Why::Evaluation(error),
        }
    }

    /// `error.message`.
    pub fn message(&self) -> String {
        self.to_string()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reason {
            Why::Evaluation(error) => write!(f, "{error}"),
            Why::Text(text) => f.write_str(text),
        }
    }
}
