//! The slow evaluator: one row, one value at a time, written from the rulings and not from the columns.

use std::cmp::Ordering;

use nervix_clock::Snapshot;
use nervix_expr::Fault;
use nspl_model::{BinaryOp, CastError, DataType, Expr, ExprKind, Function, Literal};

mod conversion;
mod function;

use conversion::{cast, json, json_exists};
use function::call;

/// A value; its type is that of its expression.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    /// Any integer type.
    Int(i128),
    /// F32.
    F32(f32),
    /// F64.
    F64(f64),
    /// BOOL.
    Bool(bool),
    /// STRING.
    Text(String),
    /// DATETIME.
    Time(i64),
    /// BYTES.
    Bytes(Vec<u8>),
    /// ARRAY and VEC.
    List(Vec<Value>),
}

/// A value, null, or why there is none.
pub(crate) type Answer = Result<Option<Value>, Fault>;

/// What an expression reads.
pub(crate) struct Row<'a> {
    /// The value of a column.
    pub(crate) read: &'a dyn Fn(usize) -> Option<Value>,
    /// The snapshot.
    pub(crate) snapshot: &'a Snapshot,
}

/// The value of a literal.
pub(crate) fn literal(literal: &Literal) -> Option<Value> {
    Some(match literal {
        Literal::Null => return None,
        Literal::Bool(value) => Value::Bool(*value),
        Literal::F32(value) => Value::F32(*value),
        Literal::F64(value) => Value::F64(*value),
        Literal::String(value) => Value::Text(value.clone()),
        Literal::DateTime(value) => Value::Time(*value),
        Literal::Bytes(value) => Value::Bytes(value.clone()),
        Literal::List(items) => Value::List(items.iter().filter_map(self::literal).collect()),
        number => Value::Int(number.as_integer()?),
    })
}

/// The value of an expression in a row.
pub(crate) fn evaluate(expr: &Expr, row: &Row<'_>) -> Answer {
    let of = &expr.data_type;
    let eval = |expr: &Expr| evaluate(expr, row);
    match &expr.kind {
        ExprKind::Literal(value) => Ok(literal(value)),
        ExprKind::Field(field) => Ok((row.read)(field.index)),
        ExprKind::Negate(operand) => match eval(operand)? {
            Some(Value::F32(value)) => Ok(Some(Value::F32(-value))),
            Some(Value::F64(value)) => Ok(Some(Value::F64(-value))),
            Some(Value::Int(value)) => fitting(-value, of, Fault::Overflow).map(Some),
            _ => Ok(None),
        },
        ExprKind::Not(operand) => Ok(eval(operand)?.map(|value| Value::Bool(value != Value::Bool(true)))),
        ExprKind::Binary { op, left, right } => match op {
            BinaryOp::And => logic(false, eval(left), eval(right)),
            BinaryOp::Or => logic(true, eval(left), eval(right)),
            op => match (eval(left)?, eval(right)?) {
                (Some(left), Some(right)) if op.is_comparison() => {
                    Ok(Some(Value::Bool(holds(*op, order(&left, &right)))))
                }
                (Some(left), Some(right)) => arithmetic(*op, of, left, right).map(Some),
                _ => Ok(None),
            },
        },
        ExprKind::Cast { operand, on_error } => {
            let from = &operand.data_type;
            let value = eval(operand)?.map(|value| cast(value, from, of)).transpose();
            forgiving(value, *on_error)
        }
        ExprKind::Case {
            operand,
            arms,
            otherwise,
        } => case(operand.as_deref(), arms, otherwise.as_deref(), &eval),
        ExprKind::JsonValue {
            document,
            path,
            on_error,
        } => {
            let document = eval(document)?;
            forgiving(json(document.as_ref(), path, of), *on_error)
        }
        ExprKind::JsonExists { document, path } => json_exists(eval(document)?.as_ref(), path),
        ExprKind::Call { function, args, .. } => call(*function, args, &eval, row.snapshot),
    }
}

fn forgiving(answer: Answer, on_error: CastError) -> Answer {
    match on_error {
        CastError::Fail => answer,
        CastError::Null => Ok(answer.unwrap_or(None)),
    }
}

fn case(
    operand: Option<&Expr>,
    arms: &[(Expr, Expr)],
    otherwise: Option<&Expr>,
    eval: &dyn Fn(&Expr) -> Answer,
) -> Answer {
    let operand = operand.map(eval).transpose()?;
    for (when, then) in arms {
        let when = eval(when)?;
        let hit = match (&operand, when) {
            (None, when) => when == Some(Value::Bool(true)),
            (Some(Some(operand)), Some(when)) => order(operand, &when).is_eq(),
            _ => false,
        };
        if hit {
            return eval(then);
        }
    }
    otherwise.map_or(Ok(None), eval)
}

fn logic(decisive: bool, left: Answer, right: Answer) -> Answer {
    let decides = |side: &Answer| *side == Ok(Some(Value::Bool(decisive)));
    if decides(&left) || decides(&right) {
        return Ok(Some(Value::Bool(decisive)));
    }
    let (left, right) = (left?, right?);
    Ok(left.and(right).map(|_| Value::Bool(!decisive)))
}

/// The order of two values of one type; NaN is one value, above all others, and zeros are equal.
pub(crate) fn order(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Text(a), Value::Text(b)) => a.as_bytes().cmp(b.as_bytes()),
        (Value::Bytes(a), Value::Bytes(b)) => a.cmp(b),
        (Value::Time(a), Value::Time(b)) => a.cmp(b),
        (Value::F32(a), Value::F32(b)) => order(&Value::F64((*a).into()), &Value::F64((*b).into())),
        (Value::F64(a), Value::F64(b)) => a.partial_cmp(b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan())),
        _ => panic!("operands have one type"),
    }
}

fn holds(op: BinaryOp, order: Ordering) -> bool {
    match op {
        BinaryOp::Equal => order.is_eq(),
        BinaryOp::NotEqual => order.is_ne(),
        BinaryOp::Less => order.is_lt(),
        BinaryOp::LessOrEqual => order.is_le(),
        BinaryOp::Greater => order.is_gt(),
        _ => order.is_ge(),
    }
}

/// The integer, when its type has it.
pub(crate) fn fitting(value: i128, of: &DataType, fault: Fault) -> Result<Value, Fault> {
    let (least, greatest) = of.integer_range().unwrap();
    if (least..=greatest).contains(&value) {
        Ok(Value::Int(value))
    } else {
        Err(fault)
    }
}

fn arithmetic(op: BinaryOp, of: &DataType, left: Value, right: Value) -> Result<Value, Fault> {
    let divides = matches!(op, BinaryOp::Divide | BinaryOp::Remainder);
    match (left, right) {
        (Value::F32(_) | Value::F64(_), Value::F32(0.0) | Value::F64(0.0)) if divides => {
            Err(Fault::DivisionByZero)
        }
        (Value::F64(a), Value::F64(b)) => Ok(Value::F64(match op {
            BinaryOp::Add => a + b,
            BinaryOp::Subtract => a - b,
            BinaryOp::Multiply => a * b,
            BinaryOp::Divide => a / b,
            _ => a % b,
        })),
        (Value::F32(a), Value::F32(b)) => Ok(Value::F32(match op {
            BinaryOp::Add => a + b,
            BinaryOp::Subtract => a - b,
            BinaryOp::Multiply => a * b,
            BinaryOp::Divide => a / b,
            _ => a % b,
        })),
        (Value::Int(_), Value::Int(0)) if divides => Err(Fault::DivisionByZero),
        (Value::Int(a), Value::Int(b)) => {
            let result = match op {
                BinaryOp::Add => a + b,
                BinaryOp::Subtract => a - b,
                // Two numbers of 64 bits may pass even 128.
                BinaryOp::Multiply => a.checked_mul(b).ok_or(Fault::Overflow)?,
                BinaryOp::Divide => a / b,
                _ => a % b,
            };
            fitting(result, of, Fault::Overflow)
        }
        _ => panic!("operands have one numeric type"),
    }
}

/// The text of an argument; null is no text.
fn text(value: &Option<Value>) -> Option<&str> {
    match value {
        Some(Value::Text(text)) => Some(text),
        _ => None,
    }
}

/// Whether a function passes nulls on: everything but what looks at them.
fn is_null_with_a_null(function: Function, args: &[Option<Value>]) -> bool {
    crate::generator::propagates(function) && args.iter().any(Option::is_none)
}
