//! `AS` and TRY_CAST.

use nspl_model::{CastError, Expr, ExprKind, Literal};
use nspl_syntax::Span;
use nspl_syntax::data_type::DataType as TreeType;
use nspl_syntax::expression::{Expr as Node, ExprKind as Kind};

use super::{Typed, Typer, Want, constant};
use crate::constant::convert::converts;
use crate::constant::node;
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
        let mut operand = match &operand.kind {
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
        let on_error = if fallible {
            CastError::Null
        } else {
            CastError::Fail
        };
        let value = self.fold(span, node::cast(&target, on_error, operand.take()));
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
