//! `AS` and TRY_CAST.

use nspl_model::{CastError, Expr, ExprKind, Literal};
use nspl_syntax::Span;
use nspl_syntax::data_type::DataType as TreeType;
use nspl_syntax::expression::{Expr as Node, ExprKind as Kind};

use super::{Typed, Typer, Want, constant};
use crate::constant::convert::{convert, converts};
use crate::data_type::data_type_or_fault;
use crate::rules;

impl Typer<'_> {
    pub(super) fn cast(
        &mut self,
        operand: &Node,
        target: &TreeType,
        fallible: bool,
        span: Span,
    ) -> Option<Typed> {
        let target = data_type_or_fault(target, self.faults)?;
        let operand = match &operand.kind {
            Kind::Null => return Some(constant(span, target, Literal::Null)),
            Kind::Number(number) => self.number_before_as(number, operand.span, &target)?,
            Kind::Array(_) => self.typed(operand, Want::Type(&target))?,
            _ => self.typed(operand, Want::Nothing)?,
        };
        if !converts(&operand.expr.data_type, &target) {
            self.faults
                .push(rules::cast::fault(span, &operand.expr.data_type, &target));
            return None;
        }
        let outcome = match &operand.constant {
            None => Ok(None),
            Some(Literal::Null) => Ok(Some(Literal::Null)),
            Some(value) => match convert(value, &target) {
                Ok(value) => Ok(Some(value)),
                Err(_) if fallible => Ok(Some(Literal::Null)),
                Err(failure) => Err(failure),
            },
        };
        let value = self.fold(span, outcome);
        let on_error = if fallible {
            CastError::Null
        } else {
            CastError::Fail
        };
        let (nullable, sensitive) = (fallible || operand.expr.nullable, operand.expr.sensitive);
        let kind = ExprKind::Cast {
            operand: Box::new(operand.expr),
            on_error,
        };
        Some(Typed {
            expr: Expr {
                data_type: target,
                nullable,
                sensitive,
                kind,
            },
            constant: value,
            span,
        })
    }
}
