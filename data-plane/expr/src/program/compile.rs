//! Typed expressions into nodes; what is constant is computed here, once.

use arrow::array::ArrayRef;
use nervix_clock::{DomainTime, Snapshot};
use nervix_columns::{arrow_type, null_array};
use nspl_model::{BinaryOp, DataType, Expr, ExprKind, Function, deep};

use crate::fault::EvalError;
use crate::frame::Frame;

use super::CompileError;
use super::arithmetic::is_arithmetic;
use super::case::{Arm, Case};
use super::cast::Cast;
use super::context::{Context, no_columns};
use super::functions::call::Call;
use super::json::JsonRead;
use super::literal::literal_array;
use super::node::Node;

/// Compiles an expression bottom up.
pub(super) fn compile(expr: &Expr) -> Result<Node, CompileError> {
    deep(|| compile_one(expr))
}

fn compile_one(expr: &Expr) -> Result<Node, CompileError> {
    let null = null_array(&arrow_type(&expr.data_type), 1);
    let (node, foldable) = match &expr.kind {
        ExprKind::Literal(literal) => {
            return Ok(Node::Constant(literal_array(literal, &expr.data_type)?));
        }
        ExprKind::Field(field) => return Ok(Node::Column(field.clone(), null)),
        ExprKind::Negate(operand) => {
            let signed = operand.data_type.is_signed() || operand.data_type.is_float();
            supported(signed, "-")?;
            let operand = compile(operand)?;
            let constant = operand.is_constant();
            (Node::Negate(Box::new(operand)), constant)
        }
        ExprKind::Not(operand) => {
            supported(operand.data_type == DataType::Bool, "NOT")?;
            let operand = compile(operand)?;
            let constant = operand.is_constant();
            (Node::Not(Box::new(operand)), constant)
        }
        ExprKind::Binary { op, left, right } => compile_binary(*op, left, right)?,
        ExprKind::Cast { operand, on_error } => {
            let cast = Cast::new(&operand.data_type, &expr.data_type, *on_error)?;
            let operand = compile(operand)?;
            let constant = operand.is_constant();
            (Node::Cast(cast, Box::new(operand)), constant)
        }
        ExprKind::Call { function, args, site } => compile_call(*function, args, *site, expr)?,
        ExprKind::Case {
            operand,
            arms,
            otherwise,
        } => compile_case(operand.as_deref(), arms, otherwise.as_deref(), &null)?,
        ExprKind::JsonValue {
            document,
            path,
            on_error,
        } => {
            let read = JsonRead::new(path, &expr.data_type, *on_error)?;
            let document = compile(document)?;
            let constant = document.is_constant();
            (Node::JsonValue(read, Box::new(document)), constant)
        }
        ExprKind::JsonExists { document, path } => {
            let document = compile(document)?;
            let constant = document.is_constant();
            (Node::JsonExists(path.clone(), Box::new(document)), constant)
        }
    };
    Ok(if foldable { fold(node, null) } else { node })
}

fn compile_binary(op: BinaryOp, left: &Expr, right: &Expr) -> Result<(Node, bool), CompileError> {
    if left.data_type != right.data_type {
        return Err(CompileError::Type {
            expected: left.data_type.clone(),
            found: right.data_type.clone(),
        });
    }
    let of = &left.data_type;
    supported(
        match op {
            BinaryOp::And | BinaryOp::Or => *of == DataType::Bool,
            BinaryOp::Equal | BinaryOp::NotEqual => of.is_comparable(),
            op if op.is_comparison() => of.is_ordered(),
            _ => is_arithmetic(of),
        },
        op.symbol(),
    )?;
    let (left, right) = (Box::new(compile(left)?), Box::new(compile(right)?));
    let constant = left.is_constant() && right.is_constant();
    let node = match op {
        BinaryOp::And => Node::And(left, right),
        BinaryOp::Or => Node::Or(left, right),
        op if op.is_comparison() => Node::Compare(op, left, right),
        op => Node::Arithmetic(op, left, right),
    };
    Ok((node, constant))
}

fn compile_call(
    function: Function,
    args: &[Expr],
    site: u32,
    expr: &Expr,
) -> Result<(Node, bool), CompileError> {
    supported(function.signature().accepts(args.len()), function.name())?;
    let mut nodes = args.iter().map(compile).collect::<Result<Vec<_>, _>>()?;
    let constant = !function.is_volatile() && nodes.iter().all(Node::is_constant);
    let node = match function {
        // It is a statement about sensitivity, not a computation.
        Function::LeakSensitive => return nodes.pop().map(|node| (node, false)).ok_or(CompileError::Literal),
        Function::Coalesce => Node::Coalesce(nodes),
        function => Node::Call(Box::new(Call::new(function, nodes, site, &expr.data_type)?)),
    };
    Ok((node, constant))
}

fn compile_case(
    operand: Option<&Expr>,
    arms: &[(Expr, Expr)],
    otherwise: Option<&Expr>,
    null: &ArrayRef,
) -> Result<(Node, bool), CompileError> {
    let operand = operand.map(compile).transpose()?;
    let mut compiled = Vec::with_capacity(arms.len());
    for (when, then) in arms {
        supported(operand.is_some() || when.data_type == DataType::Bool, "CASE")?;
        compiled.push(Arm {
            when: compile(when)?,
            then: compile(then)?,
        });
    }
    let otherwise = match otherwise {
        Some(otherwise) => compile(otherwise)?,
        None => Node::Constant(null.clone()),
    };
    let constant = operand.as_ref().is_none_or(Node::is_constant)
        && otherwise.is_constant()
        && compiled
            .iter()
            .all(|arm| arm.when.is_constant() && arm.then.is_constant());
    Ok((
        Node::Case(Box::new(Case {
            operand,
            arms: compiled,
            otherwise,
        })),
        constant,
    ))
}

/// Computes a node all of whose parts are constant.
fn fold(node: Node, null: ArrayRef) -> Node {
    let input = no_columns();
    let snapshot = Snapshot {
        domain_time: DomainTime(0),
        seed: [0; 32],
    };
    let frame = Frame {
        rows: 1,
        ..Frame::of_input(&input, &snapshot)
    };
    let folded = node.evaluate(&Context::new(&frame, None)).and_then(|outcome| {
        let error = outcome.errors.at(0);
        Ok((outcome.value.into_rows(1)?, error))
    });
    match folded {
        Ok((array, None)) => Node::Constant(array),
        Ok((_, Some(error))) => Node::Failing(null, error),
        Err(_) => Node::Failing(null, EvalError::INTERNAL),
    }
}

fn supported(holds: bool, operation: &'static str) -> Result<(), CompileError> {
    if holds {
        Ok(())
    } else {
        Err(CompileError::Unsupported { operation })
    }
}
