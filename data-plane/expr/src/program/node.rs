//! The compiled tree and its evaluation.
//!
//! Invariant (established by [`Outcome::settled`] around every node): errors are of selected rows only, and the
//! slot of a failed row is null.

use arrow::array::ArrayRef;
use arrow::error::ArrowError;
use nspl_model::{BinaryOp, FieldRef, JsonPath, deep};

use crate::fault::EvalError;
use crate::row_errors::RowErrors;

use super::arithmetic::{arithmetic, negate};
use super::case::{Case, case};
use super::cast::Cast;
use super::column::column;
use super::comparison::compare;
use super::context::Context;
use super::functions::call::{Call, evaluate_call};
use super::functions::nulls::coalesce::coalesce;
use super::json::{JsonRead, exists};
use super::logic::{and, not, or};
use super::value::{Outcome, Value};

/// One compiled node.
#[derive(Debug)]
pub(super) enum Node {
    /// One value for every row.
    Constant(ArrayRef),
    /// A part without columns that fails for every row that reaches it; the array is one null of its type.
    Failing(ArrayRef, EvalError),
    Column(FieldRef, ArrayRef),
    Negate(Box<Node>),
    Not(Box<Node>),
    Arithmetic(BinaryOp, Box<Node>, Box<Node>),
    Compare(BinaryOp, Box<Node>, Box<Node>),
    And(Box<Node>, Box<Node>),
    Or(Box<Node>, Box<Node>),
    Cast(Cast, Box<Node>),
    Case(Box<Case>),
    /// The first argument that is not null; the later ones are looked at only where it is.
    Coalesce(Vec<Node>),
    Call(Box<Call>),
    JsonValue(JsonRead, Box<Node>),
    JsonExists(JsonPath, Box<Node>),
}

impl Node {
    /// Whether it is the same in every row of every frame.
    pub(super) fn is_constant(&self) -> bool {
        matches!(self, Self::Constant(_) | Self::Failing(..))
    }

    /// Its value in the rows that the context selects.
    pub(super) fn evaluate(&self, context: &Context<'_>) -> Result<Outcome, ArrowError> {
        deep(|| self.compute(context))?.settled(context)
    }

    fn compute(&self, context: &Context<'_>) -> Result<Outcome, ArrowError> {
        match self {
            Self::Constant(array) => Ok(Outcome::constant(array.clone())),
            Self::Failing(null, error) => Ok(Outcome::failing(null.clone(), *error, context)),
            Self::Column(field, null) => column(field, null, context),
            Self::Negate(operand) => unary(operand, context, negate),
            Self::Not(operand) => unary(operand, context, |value, _| not(value)),
            Self::Arithmetic(op, left, right) => binary(left, right, context, |left, right, context| {
                arithmetic(*op, left, right, context)
            }),
            Self::Compare(op, left, right) => {
                binary(left, right, context, |left, right, _| compare(*op, left, right))
            }
            Self::And(left, right) => and(left, right, context),
            Self::Or(left, right) => or(left, right, context),
            Self::Cast(cast, operand) => unary(operand, context, |value, context| cast.apply(value, context)),
            Self::Case(parts) => case(parts, context),
            Self::Coalesce(args) => coalesce(args, context),
            Self::Call(call) => evaluate_call(call, context),
            Self::JsonValue(read, document) => {
                unary(document, context, |value, context| read.apply(value, context))
            }
            Self::JsonExists(path, document) => {
                unary(document, context, |value, context| exists(path, value, context))
            }
        }
    }
}

fn unary(
    operand: &Node,
    context: &Context<'_>,
    apply: impl FnOnce(&Value, &Context<'_>) -> Result<Outcome, ArrowError>,
) -> Result<Outcome, ArrowError> {
    let operand = operand.evaluate(context)?;
    let outcome = uniformly(&[&operand.value], context, |context| {
        apply(&operand.value, context)
    })?;
    Ok(outcome.after(operand.errors))
}

fn binary(
    left: &Node,
    right: &Node,
    context: &Context<'_>,
    apply: impl FnOnce(&Value, &Value, &Context<'_>) -> Result<Outcome, ArrowError>,
) -> Result<Outcome, ArrowError> {
    let left = left.evaluate(context)?;
    let right = right.evaluate(context)?;
    let errors = left.errors.merge(right.errors);
    let (left, right) = (left.value, right.value);
    let outcome = uniformly(&[&left, &right], context, |context| apply(&left, &right, context))?;
    Ok(outcome.after(errors))
}

/// Computes once what is the same in every row, because everything it is computed from is.
pub(super) fn uniformly(
    values: &[&Value],
    context: &Context<'_>,
    apply: impl FnOnce(&Context<'_>) -> Result<Outcome, ArrowError>,
) -> Result<Outcome, ArrowError> {
    if !values.iter().all(|value| value.is_constant()) {
        return apply(context);
    }
    let single = apply(&context.single())?;
    let value = Value::Constant(single.value.into_rows(1)?);
    let errors = match single.errors.at(0) {
        None => RowErrors::default(),
        Some(error) => RowErrors::of_rows((0..context.rows()).filter(|row| context.selects(*row)), error),
    };
    Ok(Outcome { value, errors })
}
