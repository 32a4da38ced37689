//! Operators: arithmetic, comparison, three-valued logic.

use nspl_model::{BinaryOp, DataType, Expr, ExprKind, Literal};
use nspl_syntax::expression::{BinaryOp as TreeOp, Expr as Node, ExprKind as NodeKind, UnaryOp};
use nspl_syntax::{Span, Spanned};

use super::naturals::Natural;
use super::{Typed, Typer, Want};
use crate::constant::node;
use crate::rules;

impl Typer<'_> {
    pub(super) fn unary(&mut self, op: UnaryOp, operand: &Node, span: Span, want: Want<'_>) -> Option<Typed> {
        match op {
            UnaryOp::Not => {
                let typed = self.typed(operand, Want::Type(&DataType::Bool))?;
                let mut operand = self.expect(typed, &DataType::Bool, "NOT")?;
                let constant = self.fold(span, node::not(operand.take()));
                Some(wrap(span, DataType::Bool, constant, [operand], |[operand]| {
                    ExprKind::Not(operand)
                }))
            }
            UnaryOp::Negate => {
                let mut operand = self.typed(operand, want)?;
                let data_type = operand.expr.data_type.clone();
                if !data_type.is_numeric() || data_type.is_unsigned() {
                    self.faults
                        .push(rules::operator_type::fault(span, "unary -", &data_type));
                    return None;
                }
                let constant = self.fold(span, node::negate(&data_type, operand.take()));
                Some(wrap(span, data_type, constant, [operand], |[operand]| {
                    ExprKind::Negate(operand)
                }))
            }
        }
    }

    pub(super) fn binary(
        &mut self,
        op: &Spanned<TreeOp>,
        operands: (&Node, &Node),
        span: Span,
        want: Want<'_>,
    ) -> Option<Typed> {
        let model = model_op(op.node);
        if model.is_logic() {
            return self.excusing(|typer| typer.logic(model, operands, span));
        }
        let joined = self.naturals.join([operands.0, operands.1]);
        if let Natural::Rigid(data_type) = &joined
            && !takes(model, data_type)
        {
            return self.not_taken(model, operands, span);
        }
        let hidden = matches!(want, Want::Hidden);
        if joined == Natural::Null && (model.is_comparison() || matches!(want, Want::Nothing)) && !hidden {
            self.faults.push(rules::untyped_null::fault(span));
            return None;
        }
        let wish = match (&joined, want) {
            (Natural::Decimal, want) if model.is_comparison() => none_or_hidden(want, &DataType::F64),
            (Natural::Integer, want) if model.is_comparison() => none_or_hidden(want, &DataType::I64),
            (Natural::Null | Natural::Array, _) if model.is_comparison() => Want::Nothing,
            (_, want) => self.common(&joined, want),
        };
        let left = self.typed(operands.0, wish);
        let right = self.typed(operands.1, wish);
        let (mut left, mut right) = (left?, right?);
        if left.expr.data_type != right.expr.data_type {
            self.faults.push(rules::operand_types::fault(
                op.span,
                model.symbol(),
                &left,
                &right,
            ));
            return None;
        }
        if !takes(model, &left.expr.data_type) {
            self.faults.push(rules::operator_type::fault(
                span,
                model.symbol(),
                &left.expr.data_type,
            ));
            return None;
        }
        let of_null = |node: &Node| matches!(node.kind, NodeKind::Null);
        if model.is_comparison() && (of_null(operands.0) || of_null(operands.1)) {
            let tested = if of_null(operands.0) { &right } else { &left };
            self.faults
                .push(rules::null_comparison::fault(span, model, tested));
        }
        let of = left.expr.data_type.clone();
        let constant = self.fold(span, node::binary(model, &of, left.take(), right.take()));
        let result = if model.is_arithmetic() { of } else { DataType::Bool };
        let kind = |[left, right]: [Box<Expr>; 2]| ExprKind::Binary {
            op: model,
            left,
            right,
        };
        Some(wrap(span, result, constant, [left, right], kind))
    }

    /// Reports an operator over a type that it does not take, at the operand that brings the type; the other operand
    /// is judged for its own faults only.
    fn not_taken(&mut self, op: BinaryOp, operands: (&Node, &Node), span: Span) -> Option<Typed> {
        let left = self.typed(operands.0, Want::Hidden);
        let right = self.typed(operands.1, Want::Hidden);
        let culprit = [left, right]
            .into_iter()
            .flatten()
            .find(|typed| !takes(op, &typed.expr.data_type));
        if let Some(culprit) = culprit {
            let fault = rules::operator_type::fault(span, op.symbol(), &culprit.expr.data_type);
            self.faults.push(fault);
        }
        None
    }

    fn logic(&mut self, op: BinaryOp, operands: (&Node, &Node), span: Span) -> Option<Typed> {
        let mut operand = |node| {
            let typed = self.typed(node, Want::Type(&DataType::Bool))?;
            self.expect(typed, &DataType::Bool, op.symbol())
        };
        let (left, right) = (operand(operands.0), operand(operands.1));
        let (mut left, mut right) = (left?, right?);
        let outcome = node::binary(op, &DataType::Bool, left.take(), right.take());
        let constant = self.fold(span, outcome);
        let kind = |[left, right]: [Box<Expr>; 2]| ExprKind::Binary { op, left, right };
        Some(wrap(span, DataType::Bool, constant, [left, right], kind))
    }
}

fn none_or_hidden<'t>(want: Want<'t>, default: &'t DataType) -> Want<'t> {
    match want {
        Want::Hidden => Want::Hidden,
        _ => Want::Type(default),
    }
}

fn takes(op: BinaryOp, data_type: &DataType) -> bool {
    match op {
        op if op.is_arithmetic() => data_type.is_numeric(),
        BinaryOp::Equal | BinaryOp::NotEqual => data_type.is_comparable(),
        _ => data_type.is_ordered(),
    }
}

fn wrap<const N: usize>(
    span: Span,
    data_type: DataType,
    constant: Option<Literal>,
    operands: [Typed; N],
    kind: impl FnOnce([Box<Expr>; N]) -> ExprKind,
) -> Typed {
    let nullable = operands.iter().any(|operand| operand.expr.nullable);
    let sensitive = operands.iter().any(|operand| operand.expr.sensitive);
    let kind = kind(operands.map(|operand| Box::new(operand.expr)));
    Typed {
        expr: Expr {
            data_type,
            nullable,
            sensitive,
            kind,
        },
        constant,
        span,
    }
}

fn model_op(op: TreeOp) -> BinaryOp {
    match op {
        TreeOp::Add => BinaryOp::Add,
        TreeOp::Subtract => BinaryOp::Subtract,
        TreeOp::Multiply => BinaryOp::Multiply,
        TreeOp::Divide => BinaryOp::Divide,
        TreeOp::Remainder => BinaryOp::Remainder,
        TreeOp::Equal => BinaryOp::Equal,
        TreeOp::NotEqual => BinaryOp::NotEqual,
        TreeOp::Less => BinaryOp::Less,
        TreeOp::LessOrEqual => BinaryOp::LessOrEqual,
        TreeOp::Greater => BinaryOp::Greater,
        TreeOp::GreaterOrEqual => BinaryOp::GreaterOrEqual,
        TreeOp::And => BinaryOp::And,
        TreeOp::Or => BinaryOp::Or,
    }
}
